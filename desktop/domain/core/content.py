"""The parts of a call that people see: blocks (a closed set that the window paints), cards, and references to stored
bytes."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from desktop.domain.core.base import Frozen


class BlobRef(Frozen):
    """Bytes kept beside the log. `sha256`: 64 hex digits over the raw bytes; `size`: bytes."""

    sha256: str
    media_type: str
    size: int


class TextBlock(Frozen):
    """Plain text, or Markdown when `markdown` is set. `prose`: written for a person to read, in any script."""

    type: Literal["text"] = "text"
    text: str
    markdown: bool = False
    prose: bool = False


class CodeBlock(Frozen):
    """Text in a fixed font. `language` is a Pygments name; `console` means terminal output with ANSI colours."""

    type: Literal["code"] = "code"
    language: str
    text: str


class DiffBlock(Frozen):
    """One file's change as a unified diff. `path` is lane-relative."""

    type: Literal["diff"] = "diff"
    path: str
    unified: str
    added: int
    removed: int


class TableBlock(Frozen):
    """Rows of text cells; `more` rows exist beyond these.

    `types`: the word of the database for each column, or empty. `nulls`: (row, column) of the cells without a value;
    their text is `NULL`, as that of a cell which holds these four letters may be. `prose`: as of a text.
    """

    type: Literal["table"] = "table"
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0
    types: tuple[str, ...] = ()
    nulls: tuple[tuple[int, int], ...] = ()
    prose: bool = False


class ImageBlock(Frozen):
    """A picture in the blob store."""

    type: Literal["image"] = "image"
    blob: BlobRef
    alt: str


class LinkBlock(Frozen):
    """An address outside."""

    type: Literal["link"] = "link"
    url: str
    label: str


class FileListBlock(Frozen):
    """Lane-relative paths; `more` exist beyond these."""

    type: Literal["files"] = "files"
    paths: tuple[str, ...]
    more: int = 0


Block = Annotated[
    TextBlock | CodeBlock | DiffBlock | TableBlock | ImageBlock | LinkBlock | FileListBlock, Field(discriminator="type")
]


class Card(Frozen):
    """A call as a person sees it: a title of one line and the evidence. Stored with the event, drawn from it."""

    title: str
    blocks: tuple[Block, ...] = ()


class ToolUse(Frozen):
    """One call of a tool as the model made it. An `input` that is no object is kept as it is, to be refused."""

    id: str
    name: str
    input: JsonValue


class TouchedFile(Frozen):
    """A file that a call changed. Hashes are hex SHA-256 of the whole file; None: there was, or is, no file.

    `from_path`: where a moved file was; "" for all others. `before`: the bytes that were replaced or removed, kept so
    that the change can be taken back; None: not kept.
    """

    path: str
    kind: Literal["create", "modify", "delete", "move"]
    before_sha256: str | None = None
    after_sha256: str | None = None
    before: BlobRef | None = None
    added: int = 0
    removed: int = 0
    from_path: str = ""
