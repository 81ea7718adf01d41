"""What a guest says that became of a call, as the result that is recorded."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from desktop.agent.guests.calls.comparing import Change
from desktop.domain.core.content import Block, CodeBlock
from desktop.store.core.blobs import BlobStore
from desktop.tools.file_changes import StoredChange
from desktop.tools.text import LIMIT, clip, keep_whole, strip_escapes
from desktop.tools.tool import ToolResult

NOT_TOLD = "The agent did not say how this ended."
NO_OUTPUT = "(the agent reports no output)"
_TEXTS = ("output", "formatted_output", "aggregated_output", "stdout", "stderr", "content", "message", "error")


def result_of(
    told: Mapping[str, JsonValue] | None,
    blobs: BlobStore,
    stored: tuple[StoredChange, ...] = (),
    changed: tuple[Change, ...] = (),
) -> ToolResult:
    """The result of a call. `told`: all that the guest said of it, None: not how it ended; what is too long for a
    result is kept whole in `blobs`. `stored`: the files that were written for it meanwhile; `changed`: those that it
    changed itself."""
    said = strip_escapes("\n".join(_texts(told or {})))
    kept = keep_whole(blobs, lambda: said.encode("utf-8", "replace"), "text/plain") if len(said) > LIMIT else None
    text = (clip(said, whole=kept[1]) if kept is not None else said) or NO_OUTPUT
    written = [f"Wrote {one.touched.path} ({one.counts})." for one in stored]
    blocks: list[Block] = [*(block for one in stored for block in one.blocks), *(one.block for one in changed)]
    if told is not None and text != NO_OUTPUT:
        blocks.append(CodeBlock(language="text", text=text))
    lines = [*written, NOT_TOLD if told is None else "" if written and text == NO_OUTPUT else text]
    return ToolResult(
        text="\n".join(line for line in lines if line),
        blocks=tuple(blocks),
        is_error=told is None or told.get("status") == "failed",
        full=kept[0] if kept is not None else None,
        summary=stored[0].counts if len(stored) == 1 else "",
        touched=(*(one.touched for one in stored), *(one.touched for one in changed)),
    )


def says(told: Mapping[str, JsonValue]) -> str:
    """All that the guest says came of a call."""
    return "\n".join(_texts(told))


def says_output(told: Mapping[str, JsonValue]) -> bool:
    """Whether the guest says what a command printed."""
    return bool(says(told).strip())


def _texts(told: Mapping[str, JsonValue]) -> Iterator[str]:
    content, found = told.get("content"), False
    for one in content if isinstance(content, list) else ():
        inner = one.get("content") if isinstance(one, dict) and one.get("type") == "content" else None
        if isinstance(inner, dict) and isinstance(inner.get("text"), str):
            found = True
            yield str(inner["text"])
    raw = told.get("rawOutput")
    if found or raw is None:
        return
    if isinstance(raw, str):
        yield raw
    elif isinstance(raw, dict) and (texts := [raw[name] for name in _TEXTS if isinstance(raw.get(name), str)]):
        yield str(next((text for text in texts if text), ""))
    else:
        yield json.dumps(raw, ensure_ascii=False)
