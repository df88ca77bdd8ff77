"""Lines of text with indentation."""

from collections.abc import Generator
from contextlib import contextmanager


class Writer:
    """
    Collects lines.

    Example: `with writer.block("if (i < n)"): writer.line("x[i] = 0;")`
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def line(self, text: str) -> None:
        """A line, indented as deep as blocks are open."""
        if text.startswith("}") and self._lines and not self._lines[-1]:
            self._lines.pop()
        self._lines.append(f"{'  ' * self._depth}{text}" if text else "")

    def space(self) -> None:
        """An empty line, unless a block begins here or there is one already."""
        if self._lines and self._lines[-1] and not self._lines[-1].endswith("{"):
            self._lines.append("")

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Lines between braces."""
        self.line(f"{head} {{")
        with self.indented():
            yield
        self.line("}")

    @contextmanager
    def indented(self) -> Generator[None]:
        """Lines one step further to the right."""
        self._depth += 1
        yield
        self._depth -= 1

    def inner(self) -> "Writer":
        """A writer of lines that are one step further to the right."""
        found = Writer()
        found._depth = self._depth + 1
        return found

    def add(self, other: "Writer", *, dedent: int = 0) -> None:
        """All lines of another writer, some steps further to the left."""
        self._lines += [line[2 * dedent :] for line in other._lines]

    def only_statement(self) -> str | None:
        """The statement that these lines are, if it is one, and a simple one."""
        text = self._lines[0].strip() if len(self._lines) == 1 else ""
        is_simple = not text.startswith(("if ", "const ", "//")) and text.endswith(";")
        return text if is_simple else None

    @property
    def is_empty(self) -> bool:
        """Whether there are no lines yet."""
        return not self._lines

    def text(self) -> str:
        """All lines."""
        return "".join(f"{line}\n" for line in self._lines)
