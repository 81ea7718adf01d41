"""What people read of an entry: the line in the list, and the facts about it."""

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.memory.updates import GivenEntry, GivenTurn
from desktop.domain.memory.values import Entry, MemoryHit, ScoreParts
from desktop.language import number, separated, tr
from desktop.ui.text.format import clock_time, count, full_time, local_date
from desktop.ui.widgets.pick_list import PickItem

_SAID = 60
GONE = tr("This entry was deleted.")
_ICONS = {"quarantined": "shield-alert", "archived": "archive", "candidate": "circle-dashed", "promoted": "circle-dot"}
_STATES = {
    "quarantined": tr("waits for you"),
    "archived": tr("archived"),
    "candidate": tr("candidate", context="entry of the memory"),
    "promoted": "",
}
_BY = {"person": tr("you"), "agent": tr("an agent"), "app": tr("Banksman"), "file": tr("a file that was read in")}
_PARTS = (
    ("text", tr("text", context="part of a score")),
    ("recency", tr("recency")),
    ("importance", tr("importance")),
    ("confidence", tr("confidence")),
    ("uses", tr("uses", context="part of a score")),
    ("tier", tr("tier")),
    ("pinned", tr("pinned")),
    ("stale", tr("changed files")),
)
CATEGORY_WORDS = {
    "convention": tr("convention"),
    "decision": tr("decision"),
    "fact": tr("fact"),
    "gotcha": tr("gotcha"),
    "pattern": tr("pattern"),
    "preference": tr("preference"),
    "procedure": tr("procedure"),
    "episode": tr("episode"),
}
IMPORTANCE_WORDS = {"low": tr("low"), "medium": tr("medium"), "high": tr("high")}
SCOPES = {"person": tr("yours"), "project": tr("project"), "lane": tr("lane")}


def hit_item(hit: MemoryHit) -> PickItem:
    """An entry as a line of a list."""
    entry = hit.entry
    marks = [
        *([tr("pinned")] if entry.tier == 1 else []),
        *([tr("changed: {stale}", stale=", ".join(hit.stale))] if hit.stale else []),
    ]
    marks += [tr("change proposed")] if entry.proposal else []
    below = [_kind(entry), *marks, _STATES[entry.status]]
    return _item(entry.id, entry, below)


def given_item(place: int, given: GivenEntry) -> PickItem:
    """An entry that a model was given, in its place."""
    key = f"{place}"
    if given.entry is None:
        return PickItem(key, GONE, below=display_text(given.memory_id), icon="circle-x")
    newer = tr("changed since") if given.newer else ""
    below = [
        f"{place + 1}.",
        tr("version {version}", version=given.version),
        tr("score {total}", total=_score(given.parts.total)),
        newer,
    ]
    return _item(key, given.entry, below)


def turn_words(turn: GivenTurn) -> str:
    """A turn as a line to choose: what was asked of it, how much was given, and when."""
    said = display_text(" ".join(turn.said.split()))
    said = said if len(said) <= _SAID else f"{said[: _SAID - 1]}…"
    told = (said, tr("{n} given", n=number(turn.given)), f"{clock_time(turn.at)}, {local_date(turn.at)}")
    return " · ".join(part for part in told if part)


def _item(key: str, entry: Entry, below: list[str]) -> PickItem:
    icon = "star" if entry.tier == 1 else _ICONS[entry.status]
    title = display_text(" ".join(entry.content.split()))
    return PickItem(key, title, below=display_text(" · ".join(part for part in below if part)), icon=icon)


def _kind(entry: Entry) -> str:
    return f"{CATEGORY_WORDS.get(entry.category, entry.category)} · {SCOPES.get(entry.scope, entry.scope)}"


def entry_facts(entry: Entry, stale: tuple[str, ...] = (), *, gone: bool = False) -> str:
    """Where an entry comes from and how much it counts, a line for each fact. `gone`: its chat was deleted."""
    where = tr(" in a deleted chat") if gone else ""
    lines = [
        tr(
            "Written by {by}{where} on {created_at}, version {version}.",
            by=_BY[entry.source.by],
            where=where,
            created_at=full_time(entry.created_at),
            version=entry.version,
        )
    ]
    if entry.source.tainted:
        lines.append(tr("Its chat had read {tainted}.", tainted=", ".join(entry.source.tainted)))
    elif entry.status == "quarantined":
        lines.append(tr("It waits for you because it speaks about what is allowed, or to a model."))
    said = tr(
        "Said {times}, used {times_2}", times=count(entry.observations, "time"), times_2=count(entry.uses, "time")
    )
    lines.append(
        tr(
            "{said}. Importance {importance}, confidence {confidence} %.",
            said=said,
            importance=IMPORTANCE_WORDS[entry.importance],
            confidence=entry.confidence,
        )
    )
    if stale:
        lines.append(tr("Changed since in this lane: {stale}.", stale=", ".join(stale)))
    elif entry.files:
        lines.append(tr("About {files}.", files=", ".join(one.path for one in entry.files)))
    return prose_text("\n".join(lines), multiline=True)


def score_facts(parts: ScoreParts) -> str:
    """What a score is made of."""
    values = parts.model_dump()
    named = (f"{words} {_score(values[name])}" for name, words in _PARTS if values[name])
    return tr("Score {total}: {named}.", total=_score(parts.total), named=", ".join(named))


def _score(thousandths: int) -> str:
    return separated(f"{thousandths / 1000:.2f}")
