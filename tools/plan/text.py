"""What plans as text for a terminal have in common."""

WIDTH = 100
"""Characters in a line."""


def plain(text: str, limit: int = 60) -> str:
    """
    The text in ASCII and on one line, shortened if it is long.

    Example: `plain("grün")` is `"gr\\xfcn"`.
    """
    text = text.encode("unicode_escape").decode()
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
