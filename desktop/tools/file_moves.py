"""The common parts of moving and deleting: freshness, and what people and the record get to see."""

from desktop.domain.core.content import FileListBlock
from desktop.services.files.names import shown_name
from desktop.services.lanes.moves import MAX_HASHED, Item
from desktop.tools.text import count_words, size_words
from desktop.tools.tool import ReadRecords, ToolError

MAX_LISTED = 500


def check_fresh(reads: ReadRecords, item: Item) -> None:
    """Raises ToolError when a file of the item is not what this session has read last (tools-T65)."""
    for file in item.files:
        known = reads.sha256.get(file.rel)
        if known is not None and file.sha256 and known != file.sha256:
            raise ToolError(
                f"{file.rel} changed on disk since you read it (was {known[:8]}, is {file.sha256[:8]}). Read it again.",
                summary="changed on disk",
            )


def described(item: Item) -> str:
    """The number and size of the item's files, as ` (12 files, 34 KB)`."""
    if item.kind == "link":
        return " (a link)"
    size = size_words(item.size)
    return f" ({count_words(len(item.files), 'file')}, {size})" if item.kind == "dir" else f" ({size})"


def listing(item: Item, paths: list[str]) -> FileListBlock:
    """The files, or the thing itself when it has none."""
    names = tuple(shown_name(path) for path in paths) or (shown_name(item.shown),)
    return FileListBlock(paths=names[:MAX_LISTED], more=max(len(names) - MAX_LISTED, 0))


def is_countable(item: Item) -> bool:
    """Whether every file of the item stands in the record by itself."""
    return item.kind != "link" and 0 < len(item.files) <= MAX_HASHED
