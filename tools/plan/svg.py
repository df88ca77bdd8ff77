"""
Writing SVG by hand: elements with escaped text, and room for text of unknown fonts.

A reader's browser picks the font, so widths are guessed, on the wide side.
"""

from xml.sax.saxutils import escape, quoteattr

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

_WIDTHS = {
    **dict.fromkeys("ijlI|!.,:;'` ()[]", 0.38),
    **dict.fromkeys('frt/\\-"', 0.44),
    **dict.fromkeys("mwMW@%", 0.97),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&+=<>", 0.74),
}


def text_width(text: str, size: float) -> float:
    """About how wide a text is at a font size."""
    return size * sum(_WIDTHS.get(sign, 0.62) for sign in text)


def fitted(text: str, width: float, size: float) -> str:
    """
    The text, or its beginning and an ellipsis if it is wider than there is room.

    Example: `fitted("largest_change", 60, 11)` is `"largest…"`.
    """
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…" if text else ""


def wrapped(text: str, width: float, size: float, lines: int) -> list[str]:
    """The text on several lines, broken at spaces; the last is shortened if need be."""
    found: list[str] = []
    words = text.split()
    while words and len(found) < lines - 1:
        line = words.pop(0)
        while words and text_width(f"{line} {words[0]}", size) <= width:
            line += f" {words.pop(0)}"
        found.append(fitted(line, width, size))
    if words:
        found.append(fitted(" ".join(words), width, size))
    return found


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{round(value, 1) + 0.0:g}"


class Svg:
    """
    Elements one after the other.

    Example:

    ```python
    svg = Svg()
    svg.rect("lane", 0, 0, 10, 20, title="a launch")
    svg.text("name", 5, 10, "a < b")
    ```
    """

    def __init__(self) -> None:
        self._elements: list[str] = []

    def __str__(self) -> str:
        return "\n".join(self._elements)

    def append(self, other: "Svg") -> None:
        """All elements of another one."""
        self._elements += other._elements

    def rect(
        self,
        kind: str,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        radius: float = 0,
        title: str = "",
    ) -> None:
        """A rectangle of a class, with a text that browsers show on hover."""
        numbers = {"x": x, "y": y, "width": width, "height": height}
        if radius:
            numbers["rx"] = min(radius, width / 2, height / 2)
        given = "".join(f' {name}="{number(value)}"' for name, value in numbers.items())
        self._add("rect", kind, given, _title(title))

    def dot(self, kind: str, x: float, y: float, radius: float) -> None:
        """A small circle."""
        place = f' cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self._add("circle", kind, place, "")

    def path(self, kind: str, *parts: str | float, title: str = "") -> None:
        """A path of commands and coordinates."""
        texts = (part if isinstance(part, str) else number(part) for part in parts)
        self._add("path", kind, f' d="{" ".join(texts)}"', _title(title))

    def text(
        self, kind: str, x: float, y: float, text: str, *, up: bool = False, title: str = ""
    ) -> None:
        """A line of text that begins, or is centred, at a point; `up` turns it."""
        turned = f' transform="rotate(-90 {number(x)} {number(y)})"' if up else ""
        place = f' x="{number(x)}" y="{number(y)}"{turned}'
        self._add("text", kind, place, _title(title) + escape(_printable(text)))

    def _add(self, tag: str, kind: str, attributes: str, content: str) -> None:
        opening = f'<{tag} class="{kind}"{attributes}'
        self._elements.append(f"{opening}>{content}</{tag}>" if content else f"{opening}/>")


def _title(text: str) -> str:
    return f"<title>{escape(_printable(text))}</title>" if text else ""


def _printable(text: str) -> str:
    """Names may hold characters that XML cannot."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def document(
    kind: str, width: float, height: float, label: str, style: str, content: Svg
) -> str:
    """A whole SVG file, of a class."""
    size = f'width="{number(width)}" height="{number(height)}"'
    box = f'viewBox="0 0 {number(width)} {number(height)}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size} {box}'
            f' role="img" aria-label={quoteattr(_printable(label))} font-family="{FONT}">',
            f"<style>\n{style}\n</style>",
            str(content),
            "</svg>\n",
        )
    )
