"""The sentences of rows about turns: limits, stops, restarts, restored files, what the prompt was made of."""

from collections.abc import Sequence

from desktop.domain import events as ev
from desktop.domain.chats.library_events import Imported, InstructionFilesLoaded
from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.display.text import display_text
from desktop.domain.mcp.events import McpSampled
from desktop.domain.memory.events import MemorySearched, MemoryWritten
from desktop.ui.chats.folds.rows import Call
from desktop.ui.text.format import count, money, size, tokens

MORE_STEPS = 50
STOP_HERE = ("stop_here", "Stop here")
RETRY_NOW = ("retry_now", "Retry now")
STOP_TRYING = ("retry_stop", "Stop trying")
LEAVE_IT = ("leave_it", "Leave it")
GO_BACK = ("compaction_back", "Go back")
_MOST_NAMED = 200


def limit_actions(reason: str) -> tuple[tuple[str, str], ...]:
    """What a person can do at a limit."""
    if reason == "steps":
        return (("more_steps", f"Go on with {MORE_STEPS} more steps"), STOP_HERE)
    return (("raise_limit", "Raise the limit…" if reason == "time" else "Raise budget…"), STOP_HERE)


def limit_sentence(event: ev.TurnEnded) -> str:
    """Why the turn stopped at a limit."""
    words = (event.detail or event.reason).strip()
    if words.startswith("Stopped"):
        return words
    return f"Stopped at the limit of {words.rstrip('.')}. The task may be unfinished."


def restart_sentence(event: ev.TurnEnded, unknown: Sequence[Call], not_run: Sequence[Call]) -> str:
    """That the program closed while the turn ran, and which calls that leaves open: as recorded, else as seen here."""
    if event.detail.strip():
        return event.detail.strip()
    parts = ["Banksman closed while this turn was running."]
    if unknown:
        parts.append(f"Outcome unknown: {_titles(unknown)}.")
    if not_run:
        waited = ", it was waiting for you" if len(not_run) == 1 and not_run[0].asks else ""
        parts.append(f"Not run: {_titles(not_run)}{waited}.")
    return " ".join(parts)


def unknown_actions(calls: Sequence[Call], again: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The buttons about calls whose outcome nobody recorded; each names its call where there are several."""
    found: list[tuple[str, str]] = []
    for call in calls:
        of = f": {_short(call.title)}" if len(calls) > 1 else ""
        if call.call_id not in again:
            found.append((f"run_again:{call.call_id}", f"Run it again{of}"))
            found.append((f"took_effect:{call.call_id}", f"It took effect{of}"))
    return tuple(found)


def restored_sentence(event: FilesRestored) -> str:
    """What became of putting files back."""
    if event.failed:
        return f"The files were not put back: {count(len(event.failed), 'file')} could not be written."
    parts = [f"{count(len(event.restored), 'file')} put back"] if event.restored else []
    parts += [f"{count(len(event.removed), 'file')} removed"] if event.removed else []
    return ", ".join(parts) if parts else "The files were as they should be already"


def restored_detail(event: FilesRestored) -> str:
    """The files themselves, one a line."""
    lines = [f"could not be written: {path}" for path in event.failed[:_MOST_NAMED]]
    lines += [f"put back: {path}" for path in event.restored[:_MOST_NAMED]]
    lines += [f"removed: {path}" for path in event.removed[:_MOST_NAMED]]
    return "\n".join(lines)


def compacted_words(event: Compacted) -> str:
    """The divider over a summary: "Earlier messages were summarised · 142k → 18k tokens"."""
    text = "Earlier messages were summarised"
    if event.method == "plain":
        text += " without the model"
    if event.tokens_before:
        text += f" · {tokens(event.tokens_before)} → {tokens(event.tokens_after)} tokens"
    return text


def cleared_words(event: ContextCleared) -> str:
    """The divider where the model starts over."""
    freed = f" · {tokens(event.tokens_before)} tokens freed" if event.tokens_before else ""
    return f"The agent starts over here; it does not see what stands above{freed}"


def instructions_words(event: InstructionFilesLoaded) -> tuple[str, str]:
    """Which instruction files stand in the prompt: a line, and one line for each."""
    if not event.files:
        return "No instruction files are used any more", ""
    names = ", ".join(file.path.rsplit("/", 1)[-1] for file in event.files[:3])
    more = f" and {len(event.files) - 3} more" if len(event.files) > 3 else ""
    lines = [f"{file.path} · {size(file.bytes)}{', only its beginning' if file.cut else ''}" for file in event.files]
    return f"Instructions: {names}{more}", "\n".join(lines)


def memory_words(event: MemorySearched) -> str:
    """What was looked up before a turn: "Memory: required · searched, 9 found, 4 used"."""
    if not event.ran:
        return f"Memory: {event.guard} · nothing searched yet: {event.problem or 'it could not be searched'}"
    return f"Memory: {event.guard} · searched, {event.found} found, {len(event.used)} used"


def remembered_words(event: MemoryWritten) -> str:
    """What became of an entry of the memory."""
    kinds = {"candidate": "as a candidate", "quarantined": "for review", "promoted": "", "archived": "in the archive"}
    if event.change == "added":
        return f"Memory: saved {kinds[event.status]}".rstrip()
    return f"Memory: {'said again' if event.change == 'merged' else event.change}"


def sampled_words(event: McpSampled) -> str:
    """That a server had the model asked, and what that took."""
    if event.refused:
        return f"{display_text(event.server)} wanted to use the model and was refused: {display_text(event.refused)}"
    used = event.usage.total_input + (event.usage.output or 0)
    took = f" · {tokens(used)} tokens · {money(event.cost_microusd)}" if used else ""
    return f"{display_text(event.server)} used the model {display_text(event.model)}{took}"


def sampled_text(event: McpSampled) -> str:
    """All that was sent for a server, and the answer that it got."""
    said = [("system", event.system)] if event.system else []
    for message in event.messages:
        if isinstance(message, dict):
            content = message.get("content")
            content = content if isinstance(content, list) else []
            texts = [block.get("text", "") for block in content if isinstance(block, dict)]
            said.append((str(message.get("role")), "\n".join(map(str, texts))))
    said += [("the answer", event.text)] if event.text else []
    return "\n\n".join(f"{who}:\n{display_text(text, multiline=True)}" for who, text in said)


def imported_words(event: Imported) -> tuple[str, str]:
    """Where an imported chat came from, and what was found."""
    source = event.source_name or "a file"
    chain = {
        "verified": "its record verifies",
        "absent": "it has no record to verify",
        "broken": "its record was changed",
    }[event.chain]
    lines = [f"Record: {chain}."]
    if event.unknown:
        lines.append(f"{count(event.unknown, 'entry', 'entries')} could not be read.")
    if event.unrecoverable_calls:
        lines.append(f"{count(len(event.unrecoverable_calls), 'call')} without a result.")
    return f"Imported from {source} · {count(event.events, 'entry', 'entries')} · {chain}", "\n".join(lines)


def _titles(calls: Sequence[Call]) -> str:
    return "; ".join(call.title for call in calls[:10])


def _short(title: str) -> str:
    return title if len(title) <= 40 else f"{title[:39]}…"
