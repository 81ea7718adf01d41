"""The sentences of rows about turns: limits, stops, restarts, restored files, what the prompt was made of."""

import re
from collections.abc import Mapping, Sequence

from desktop.domain import events as ev
from desktop.domain.chats.library_events import Imported, InstructionFilesLoaded
from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.display.text import display_text
from desktop.domain.mcp.events import McpSampled
from desktop.domain.memory.events import MemoryChange, MemorySearched, MemoryWritten
from desktop.domain.memory.values import GuardClass, Status
from desktop.language import number, said, tr, trn
from desktop.ui.chats.folds.rows import Call
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import count, money, size, tokens

MORE_STEPS = 50
STOP_HERE = ("stop_here", tr("Stop here"))
RETRY_NOW = ("retry_now", tr("Retry now"))
STOP_TRYING = ("retry_stop", tr("Stop trying"))
LEAVE_IT = ("leave_it", tr("Leave it"))
GO_BACK = ("compaction_back", tr("Go back"))
_MOST_NAMED = 200
_UNANSWERED, _ASKS = "Not answered: ", "Ask: "
_GUARDS: dict[GuardClass, str] = {
    "none": tr("none", context="guard"),
    "soft": tr("soft", context="guard"),
    "required": tr("required", context="guard"),
}
_SAVED: dict[Status, str] = {
    "candidate": tr("Memory: saved as a candidate"),
    "quarantined": tr("Memory: saved for review"),
    "promoted": tr("Memory: saved"),
    "archived": tr("Memory: saved in the archive"),
}
_CHANGED: dict[MemoryChange, str] = {
    "added": "",
    "merged": tr("Memory: said again"),
    "pinned": tr("Memory: pinned"),
    "unpinned": tr("Memory: unpinned"),
    "edited": tr("Memory: edited"),
    "accepted": tr("Memory: accepted"),
    "confirmed": tr("Memory: confirmed"),
    "archived": tr("Memory: archived"),
    "restored": tr("Memory: restored"),
    "deleted": tr("Memory: deleted"),
    "imported": tr("Memory: imported"),
}


def limit_actions(reason: str) -> tuple[tuple[str, str], ...]:
    """What a person can do at a limit."""
    if reason == "steps":
        return (("more_steps", tr("Go on with {steps} more steps", steps=MORE_STEPS)), STOP_HERE)
    return (("raise_limit", tr("Raise the limit…") if reason == "time" else tr("Raise budget…")), STOP_HERE)


def limit_sentence(event: ev.TurnEnded) -> str:
    """Why the turn stopped at a limit."""
    words = (event.detail or event.reason).strip()
    if words.startswith("Stopped"):
        return said(words)
    return tr("Stopped at the limit of {limit}. The task may be unfinished.", limit=words.rstrip("."))


def restart_sentence(event: ev.TurnEnded, calls: Sequence[Call], titles: Mapping[str, bool]) -> str:
    """That the program closed while the turn ran, and which of its calls that leaves open: as recorded, else as seen
    here. `titles`: of all its calls, and whether no letter of each may differ."""
    if event.detail.strip():
        return said(_named(event.detail.strip(), titles))
    unknown = [call for call in calls if call.state == "unknown"]
    not_run = [call for call in calls if call.state == "not_run"]
    parts = [tr("Banksman closed while this turn was running.")]
    if unknown:
        parts.append(tr("Outcome unknown: {calls}.", calls=_titles(unknown)))
    if not_run:
        left = _titles(not_run)
        waited = len(not_run) == 1 and not_run[0].asks
        parts.append(
            tr("Not run: {calls}, it was waiting for you.", calls=left)
            if waited
            else tr("Not run: {calls}.", calls=left)
        )
    return " ".join(parts)


def unknown_actions(calls: Sequence[Call], again: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The buttons about calls whose outcome nobody recorded; each names its call where there are several."""
    found: list[tuple[str, str]] = []
    for call in calls:
        of = f": {_short(call.name)}" if len(calls) > 1 else ""
        if call.call_id not in again:
            found.append((f"run_again:{call.call_id}", tr("Run it again") + of))
            found.append((f"took_effect:{call.call_id}", tr("It took effect") + of))
    return tuple(found)


def restored_sentence(event: FilesRestored) -> str:
    """What became of putting files back."""
    if event.failed:
        return tr("The files were not put back: {files} could not be written.", files=count(len(event.failed), "file"))
    parts = [tr("{files} put back", files=count(len(event.restored), "file"))] if event.restored else []
    parts += [tr("{files} removed", files=count(len(event.removed), "file"))] if event.removed else []
    return ", ".join(parts) if parts else tr("The files were as they should be already")


def restored_detail(event: FilesRestored) -> str:
    """The files themselves, one a line."""
    lines = [tr("could not be written: {path}", path=path) for path in event.failed[:_MOST_NAMED]]
    lines += [tr("put back: {path}", path=path) for path in event.restored[:_MOST_NAMED]]
    lines += [tr("removed: {path}", path=path) for path in event.removed[:_MOST_NAMED]]
    return "\n".join(lines)


def compacted_words(event: Compacted) -> str:
    """The divider over a summary: "Earlier messages were summarised · 142k → 18k tokens"."""
    text = tr("Earlier messages were summarised")
    if event.method == "plain":
        text = tr("Earlier messages were summarised without the model")
    if event.tokens_before:
        before, after = tokens(event.tokens_before), tokens(event.tokens_after)
        text += " · " + tr("{before} → {after} tokens", before=before, after=after)
    return text


def cleared_words(event: ContextCleared) -> str:
    """The divider where the model starts over."""
    text = tr("The agent starts over here; it does not see what stands above")
    if event.tokens_before:
        text += " · " + tr("{amount} tokens freed", amount=tokens(event.tokens_before))
    return text


def instructions_words(event: InstructionFilesLoaded) -> tuple[str, str]:
    """Which instruction files stand in the prompt: a line, and one line for each."""
    if not event.files:
        return tr("No instruction files are used any more"), ""
    names = ", ".join(file.path.rsplit("/", 1)[-1] for file in event.files[:3])
    more = len(event.files) - 3
    text = (
        trn(more, "Instructions: {names} and {n} more", "Instructions: {names} and {n} more", names=names)
        if more > 0
        else tr("Instructions: {names}", names=names)
    )
    told = [(file, f"{file.path} · {size(file.bytes)}") for file in event.files]
    return text, "\n".join(tr("{file}, only its beginning", file=words) if file.cut else words for file, words in told)


def memory_words(event: MemorySearched) -> str:
    """What was looked up before a turn: "Memory: required · searched, 9 found, 4 used"."""
    if not event.ran:
        return tr(
            "Memory: {guard} · nothing searched yet: {problem}",
            guard=_GUARDS[event.guard],
            problem=said(event.problem) or tr("it could not be searched"),
        )
    return tr(
        "Memory: {guard} · searched, {found} found, {used} used",
        guard=_GUARDS[event.guard],
        found=number(event.found),
        used=number(len(event.used)),
    )


def remembered_words(event: MemoryWritten) -> str:
    """What became of an entry of the memory."""
    return _SAVED[event.status] if event.change == "added" else _CHANGED[event.change]


def sampled_words(event: McpSampled) -> str:
    """That a server had the model asked, and what that took."""
    if event.refused:
        return tr(
            "{server} wanted to use the model and was refused: {refused}",
            server=display_text(event.server),
            refused=display_text(event.refused),
        )
    used = event.usage.total_input + (event.usage.output or 0)
    text = tr("{server} used the model {model}", server=display_text(event.server), model=display_text(event.model))
    spent = [tr("{amount} tokens", amount=tokens(used)), money(event.cost_microusd)] if used else []
    return " · ".join([text, *spent])


def sampled_text(event: McpSampled) -> str:
    """All that was sent for a server, and the answer that it got."""
    sent = [(tr("system"), event.system)] if event.system else []
    for message in event.messages:
        if isinstance(message, dict):
            content = message.get("content")
            content = content if isinstance(content, list) else []
            texts = [block.get("text", "") for block in content if isinstance(block, dict)]
            sent.append((str(message.get("role")), "\n".join(map(str, texts))))
    sent += [(tr("the answer"), event.text)] if event.text else []
    return "\n\n".join(f"{who}:\n{display_text(text, multiline=True)}" for who, text in sent)


def imported_words(event: Imported) -> tuple[str, str]:
    """Where an imported chat came from, and what was found."""
    source = event.source_name or tr("a file")
    chain = {
        "verified": tr("its record verifies"),
        "absent": tr("it has no record to verify"),
        "broken": tr("its record was changed"),
    }[event.chain]
    lines = [tr("Record: {chain}.", chain=chain)]
    if event.unknown:
        lines.append(tr("{entries} could not be read.", entries=count(event.unknown, "entry", "entries")))
    if event.unrecoverable_calls:
        lines.append(tr("{calls} without a result.", calls=count(len(event.unrecoverable_calls), "call")))
    return tr(
        "Imported from {source} · {entries} · {chain}",
        source=source,
        entries=count(event.events, "entry", "entries"),
        chain=chain,
    ), "\n".join(lines)


def _named(sentences: str, verbatim: Mapping[str, bool]) -> str:
    """Sentences of the record with these titles of calls in the language."""
    names = {title: title if plain else call_title(title) for title, plain in verbatim.items()}
    if _UNANSWERED in sentences:
        names = {title: _question(name) if title.startswith(_ASKS) else name for title, name in names.items()}
    titles = "|".join(re.escape(title) for title in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<=[:;] )(?:{titles})(?=[.;])", lambda found: names[found[0]], sentences) if names else sentences


def _question(name: str) -> str:
    """The title of a call that asks a person, without saying again that it asks."""
    return name.partition(": ")[2] or name


def _titles(calls: Sequence[Call]) -> str:
    return "; ".join(call.name for call in calls[:10])


def _short(title: str) -> str:
    return title if len(title) <= 40 else f"{title[:39]}…"
