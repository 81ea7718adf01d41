"""Places in a text as Qt counts them: in units of UTF-16, of which an emoji takes two."""


def to_units(text: str, at: int) -> int:
    """The number of units that stand before a character of the text."""
    return at if text.isascii() else len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def between_units(text: str, begin: int, end: int) -> str:
    """The text from one unit to another."""
    if text.isascii():
        return text[begin:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * begin : 2 * end].decode("utf-16-le", "replace")
