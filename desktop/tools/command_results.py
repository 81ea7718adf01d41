"""The words for a command's end: the text for the model, the block for people, the summary of the row."""

from pydantic import JsonValue

from desktop.domain.core.content import CodeBlock
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import Completed
from desktop.services.processes.sandbox.blocked import blocked_line
from desktop.store.core.blobs import BlobStore
from desktop.tools.text import LIMIT, clip, duration_words, join_ends, keep_whole, strip_escapes
from desktop.tools.tool import ToolResult

BLOCK_CHARS = 30_000
_NOTE_ROOM = 600


def ending_line(completed: Completed, timeout_s: float) -> str:
    """The last line of a result: how the command ended and how long it took (tools-T76 to tools-T79)."""
    duration = duration_words(completed.duration_s)
    if completed.limit and completed.ending == "stopped":
        text = f"stopped: {completed.limit}; the command and its children were ended · {duration}"
    elif completed.ending == "timed_out":
        text = f"timed out after {timeout_s:g} s; the command and its children were stopped"
    elif completed.ending == "output_limit":
        text = "output limit 64 MiB; stopped"
    elif completed.signal_name:
        text = f"stopped by {completed.signal_name} · {duration}"
    elif completed.exit_code is None:
        text = f"ended without an exit code · {duration}"
    else:
        text = f"exit code {completed.exit_code} · {duration}"
    if completed.limit and completed.ending == "exited":
        text += f" · {completed.limit}"
    if completed.leftovers:
        text += f" · left a process running (pid {', '.join(map(str, completed.leftovers))})"
    if completed.survivors:
        text += f" · could not be stopped: pid {', '.join(map(str, completed.survivors))}"
    return f"[{text}]"


def row_summary(completed: Completed) -> str:
    """`exit 1 · 3.4 s`, `exit 0 · 40 ms`, `timed out · 120 s`, `SIGKILL · 4.0 s`, `stopped: used more than 8 GiB of
    memory · 12 s`."""
    seconds = completed.duration_s
    duration = f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else duration_words(seconds)
    if completed.limit and completed.ending == "stopped":
        return f"stopped: {completed.limit} · {duration}"
    if completed.ending == "timed_out":
        return f"timed out · {duration}"
    if completed.ending == "output_limit":
        return f"output limit · {duration}"
    if completed.exit_code is None:
        return f"{completed.signal_name or 'no exit code'} · {duration}"
    limit = f"{completed.limit} · " if completed.limit else ""
    return f"exit {completed.exit_code} · {limit}{duration}"


def command_data(completed: Completed, cwd: str) -> dict[str, JsonValue]:
    """The values that the window may show of a command's end."""
    return {
        "exit_code": completed.exit_code,
        "signal": completed.signal_name,
        "ending": completed.ending,
        "limit": completed.limit,
        "duration_ms": round(completed.duration_s * 1000),
        "output_bytes": completed.output.total,
        "cwd": cwd,
    }


def command_result(
    completed: Completed, blobs: BlobStore, *, cwd: str, timeout_s: float, notes: tuple[str, ...] = ()
) -> ToolResult:
    """The result of a finished command. Output that is cut is kept whole, with its raw bytes, in the blob store."""
    output = completed.output
    text = strip_escapes(output.head()) if not output.cut else ""
    endings = [*notes, ending_line(completed, timeout_s)]
    if completed.blocked:
        endings.append(blocked_line(completed.blocked))
    room = LIMIT - _NOTE_ROOM
    full = None
    if output.cut or len(text) > room:
        full, whole = keep_whole(blobs, output.read, "text/plain")
        text = _cut_output(output, room, whole) if output.cut else clip(text, room, whole=whole)
    body = text.rstrip("\n") or "(no output)"
    shown = output.head() if not output.cut else text
    return ToolResult(
        text="\n".join([body, *endings]),
        blocks=(CodeBlock(language="console", text=shown if len(shown) <= BLOCK_CHARS else text),),
        is_error=not completed.ok,
        full=full,
        summary=row_summary(completed),
        data=command_data(completed, cwd),
    )


def _cut_output(output: CommandOutput, limit: int, whole: str) -> str:
    head, tail = strip_escapes(output.head()), strip_escapes(output.tail())
    return join_ends(head, tail, output.chars, output.lines, limit=limit, whole=whole)
