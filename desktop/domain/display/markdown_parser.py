"""The dialect of Markdown that is drawn, as a parser. `display_markdown` loads it at the first text."""

from markdown_it import MarkdownIt


class Parser(MarkdownIt):
    """CommonMark with tables and strikethrough. Every address makes a link, whatever its scheme, and is kept as it was
    written, so that it is seen; line ends and NUL are not touched. `references` False: link definitions are ordinary
    text, so that they are seen."""

    def __init__(self, *, references: bool) -> None:
        super().__init__("commonmark", {"html": False})
        self.enable(["table", "strikethrough"])
        self.core.ruler.disable("normalize")
        if not references:
            self.block.ruler.disable("reference")

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        """Every address is taken as a link; what may be clicked is decided later."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """The address as it is written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        """The text of a link as it is written."""
        return link
