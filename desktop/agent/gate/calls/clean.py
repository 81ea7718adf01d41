"""What a tool brought, without secrets, before it is stored, shown or sent (gate-K3). Files are never rewritten."""

from pydantic import JsonValue

from desktop.domain.core.content import BlobRef, Block, CodeBlock, DiffBlock, TableBlock, TextBlock
from desktop.domain.gate.redaction import Redactor
from desktop.store.core.blobs import BlobStore
from desktop.tools.tool import ToolResult


def clean_result(result: ToolResult, redactor: Redactor, blobs: BlobStore) -> tuple[ToolResult, tuple[str, ...]]:
    """The result with every secret replaced by its name, and those names, each once. Pictures are left as they are."""
    cleaner = _Cleaner(redactor)
    text = cleaner.text(result.text)
    blocks = tuple(cleaner.block(block) for block in result.blocks)
    changes: dict[str, object] = {
        "text": text,
        "blocks": blocks,
        "summary": cleaner.text(result.summary),
        "data": cleaner.value(result.data),
        "full": _clean_blob(result.full, cleaner, blobs),
    }
    if not cleaner.found:
        return result, ()
    return result.model_copy(update=changes), tuple(cleaner.found)


class _Cleaner:
    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.found: dict[str, None] = {}

    def text(self, text: str) -> str:
        redacted = self._redactor.redact(text)
        self.found.update(dict.fromkeys(redacted.found))
        return redacted.text

    def block(self, block: Block) -> Block:
        if isinstance(block, TextBlock | CodeBlock):
            return block.model_copy(update={"text": self.text(block.text)})
        if isinstance(block, DiffBlock):
            return block.model_copy(update={"unified": self.text(block.unified)})
        if isinstance(block, TableBlock):
            rows = tuple(tuple(self.text(cell) for cell in row) for row in block.rows)
            return block.model_copy(update={"rows": rows})
        return block

    def value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value


def _clean_blob(full: BlobRef | None, cleaner: _Cleaner, blobs: BlobStore) -> BlobRef | None:
    """The whole output without secrets; the one that holds them is taken out of the store."""
    if full is None or not full.media_type.startswith("text/"):
        return full
    data = blobs.get(full.sha256)
    if data is None:
        return full
    before = data.decode("utf-8", "surrogateescape")
    after = cleaner.text(before)
    if after == before:
        return full
    kept = blobs.put(after.encode("utf-8", "surrogateescape"), full.media_type, lazy=True)
    blobs.remove(full.sha256)
    return kept
