"""The message list of a folded path. What was rendered stays: only what changed is made anew."""

from collections.abc import Iterator
from dataclasses import field
from typing import Literal, NamedTuple

from desktop.domain.history.fold import Entry, PathFold, RecordedResult, SyntheticKind
from desktop.domain.history.parts import THINKING_TYPES, Part, cites, input_object, is_blank, is_marker, result_part
from desktop.domain.history.words import EMPTY_ERROR, OPENING, SUMMARY_ACK, SUMMARY_PREFIX, WORDING, Message
from desktop.domain.web.vendor import UNFINISHED, found_pages, is_call, is_result
from desktop.records import dataclass

Role = Literal["user", "assistant"]
Block = tuple[Part, str | None]
"""A content block and the event it comes from, None: it is synthetic."""


class Rendered(NamedTuple):
    """One message for the model, with the event that each of its blocks comes from. Never changed: another message is
    another object."""

    message: Message
    origins: tuple[str | None, ...]


@dataclass
class _Draft:
    """One message in the making, at place `at` behind the beginning. `made`: it as it was asked for last, None: it
    changed since."""

    role: Role
    at: int = 0
    blocks: list[Block] = field(default_factory=list)
    made: Rendered | None = None

    def rendered(self) -> Rendered:
        if self.made is None:
            content = [part for part, _ in self.blocks]
            message: Message = {"role": self.role, "content": content}
            self.made = Rendered(message, tuple(origin for _, origin in self.blocks))
        return self.made


_NOWHERE = _Draft("assistant")
"""Where a call of the service stands before its answer is joined."""


class Renderer:
    """Follows one fold. `messages` costs what changed since it was called last, and a copy of the list."""

    def __init__(self, fold: PathFold) -> None:
        self._fold = fold
        self._done = self._stale_from = 0
        self._begin()

    @property
    def from_vendor(self) -> bool:
        """Whether what the service did by itself is in the list, as of the last `messages`."""
        return self._from_vendor

    @property
    def synthetic(self) -> dict[str, SyntheticKind]:
        """Call id → why its result is synthetic, as of the last `messages`."""
        return dict(self._synthetic)

    @property
    def unrecoverable(self) -> tuple[str, ...]:
        """Ids of calls whose input is lost, in order of the list, as of the last `messages`."""
        return tuple(self._unrecoverable)

    def unasked(self) -> tuple[str, ...]:
        """Call ids of results in the effective context that answer no call in it, each once."""
        visible = (entry for entry in self._fold.context if entry.event_id not in self._fold.hidden)
        return tuple(dict.fromkeys(one for entry in visible for one in entry.answers if one not in self._seen))

    def messages(self) -> list[Rendered]:
        """The list as the fold is now. Messages that are the same as in the last list are the same objects."""
        if self._context is not self._fold.context or self._removals != self._fold.removals:
            self._begin()
        self._mend()
        entries = self._fold.context
        for at in range(self._done, len(entries)):
            if entries[at].role and entries[at].event_id not in self._fold.hidden:
                self._add(entries[at])
        self._done = len(entries)
        del self._list[self._stale_from :]
        self._list += [draft.rendered() for draft in self._drafts[len(self._list) :]]
        self._stale_from = len(self._list)
        return [*self._beginning(), *self._list]

    def _changed(self, draft: _Draft) -> None:
        """The message is to be made anew, and what stands in the list from there on to be put together again."""
        draft.made = None
        self._stale_from = min(self._stale_from, draft.at)

    def _begin(self) -> None:
        self._context = self._fold.context
        self._removals = self._fold.removals
        self._done = 0
        self._drafts: list[_Draft] = []
        self._list: list[Rendered] = []
        self._stale_from = 0
        self._opening: tuple[Rendered, ...] | None = None
        self._seen: set[str] = set()
        self._marked: set[str] = set()
        self._places: dict[str, tuple[_Draft, int]] = {}
        self._from_vendor = False
        self._vendor_calls: set[str] = set()
        self._found: set[str] = set()
        self._pending: dict[str, _Draft] = {}
        self._synthetic: dict[str, SyntheticKind] = {}
        self._unrecoverable: list[str] = []

    def _mend(self) -> None:
        """Take in what was recorded of calls that are rendered already: a late result, or that it began."""
        touched, self._fold.touched = self._fold.touched, []
        if any(call_id in self._marked for call_id in touched):
            self._begin()
        for call_id in touched:
            if call_id in self._places:
                draft, at = self._places[call_id]
                self._synthetic.pop(call_id, None)
                draft.blocks[at] = self._result(call_id)
                self._changed(draft)

    def _add(self, entry: Entry) -> None:
        if entry.role == "user":
            self._say(entry)
            return
        parts = self._spoken(entry.parts)
        self._join("assistant", [(part, entry.event_id) for part in parts])
        if parts and self._pending:
            self._wait()
        calls = [part["id"] for part in parts if part["type"] == "tool_use"]
        self._join("user", [self._result(call_id) for call_id in calls])
        for at, call_id in enumerate(calls, start=-len(calls)):
            draft = self._drafts[-1]
            self._places[call_id] = (draft, len(draft.blocks) + at)

    def _say(self, entry: Entry) -> None:
        """What a person said. What the service left unfinished before it, with no call of ours behind, it does not go
        on with."""
        last = self._drafts[-1] if self._drafts else None
        if entry.parts and last is not None and last.role == "assistant":
            self._give_up({one: draft for one, draft in self._pending.items() if draft is last})
        self._join("user", [(part, entry.event_id) for part in entry.parts])

    def _of_vendor(self, parts: tuple[Part, ...]) -> list[Part]:
        """The parts, with the calls of the service's own tools that have a result, or may get one yet, the results that
        have a call, and of what is cited what was found: the service takes none of them alone."""
        kept: list[Part] = []
        for part in parts:
            if is_call(part):
                if part["id"] in self._vendor_calls:
                    continue
                self._vendor_calls.add(part["id"])
                self._pending[part["id"]] = _NOWHERE
                self._from_vendor = True
            elif is_result(part):
                if self._pending.pop(part["tool_use_id"], None) is None:
                    continue
                self._found |= {page.url for page in found_pages(part)}
            kept.append(self._cited(part) if cites(part) else part)
        return kept

    def _cited(self, part: Part) -> Part:
        known = [one for one in part["citations"] if isinstance(one, dict) and one.get("url") in self._found]
        return {**part, "citations": known} if known else {"type": "text", "text": part["text"]}

    def _wait(self) -> None:
        """What the newest answer began may end in the next one; what one before it began did not end in this one."""
        last = self._drafts[-1]
        self._pending = {one: last if draft is _NOWHERE else draft for one, draft in self._pending.items()}
        self._give_up({one: draft for one, draft in self._pending.items() if draft is not last})

    def _give_up(self, calls: dict[str, _Draft]) -> None:
        """A sentence in the place of calls of the service whose results will not come."""
        for call_id, draft in calls.items():
            del self._pending[call_id]
            words: Part = {"type": "text", "text": UNFINISHED}
            draft.blocks = [
                (words, origin) if is_call(part) and part["id"] == call_id else (part, origin)
                for part, origin in draft.blocks
            ]
            self._changed(draft)

    def _spoken(self, parts: tuple[Part, ...]) -> list[Part]:
        """The blocks of one assistant event: the service's own, inputs, repeated calls, thinking, in this order."""
        spoken: list[Part] = []
        for part in self._of_vendor(parts):
            if part["type"] == "thinking" and not part["signature"]:
                continue
            if part["type"] != "tool_use":
                spoken.append(part)
            elif part["id"] not in self._seen:
                self._seen.add(part["id"])
                spoken.append(self._call(part))
        while spoken and spoken[-1]["type"] in THINKING_TYPES:
            spoken.pop()
        return spoken

    def _call(self, part: Part) -> Part:
        full = input_object(part["input"])
        if full is not None and is_marker(full):
            self._marked.add(part["id"])
            full = self._fold.full_input(part["id"])
        if full is None:
            self._unrecoverable.append(part["id"])
        return {**part, "input": full or {}}

    def _result(self, call_id: str) -> Block:
        """The block that answers a call, and its event."""
        answer = self._fold.answer(call_id)
        if isinstance(answer, RecordedResult):
            part = answer.part
            content = part["content"]
            if part.get("is_error") and isinstance(content, str) and is_blank(content):
                part = {**part, "content": EMPTY_ERROR}
            return part, answer.event_id
        self._synthetic[call_id] = answer
        return result_part(call_id, WORDING[answer], is_error=answer != "result_removed"), None

    def _join(self, role: Role, blocks: list[Block]) -> None:
        """Put blocks at the end of the list. The message after one with calls is already there: their results.

        All thinking of a message goes when the message does not begin with it.
        """
        if not blocks:
            return
        if not self._drafts or self._drafts[-1].role != role:
            self._drafts.append(_Draft(role, len(self._drafts)))
        draft = self._drafts[-1]
        first = draft.blocks[0] if draft.blocks else blocks[0]
        if role == "assistant" and first[0]["type"] not in THINKING_TYPES:
            blocks = [block for block in blocks if block[0]["type"] not in THINKING_TYPES]
        draft.blocks.extend(blocks)
        self._changed(draft)

    def _beginning(self) -> tuple[Rendered, ...]:
        """What goes in front of the list."""
        opening = self._opening or tuple(draft.rendered() for draft in self._openings())
        if self._drafts:  # what follows is known, and stays
            self._opening = opening
        return opening

    def _openings(self) -> Iterator[_Draft]:
        assistant_next = bool(self._drafts) and self._drafts[0].role == "assistant"
        if self._fold.summary is not None:
            text = f"{SUMMARY_PREFIX}\n\n{self._fold.summary}"
            yield _Draft("user", blocks=[({"type": "text", "text": text}, self._fold.summary_id)])
            if not assistant_next:
                yield _Draft("assistant", blocks=[({"type": "text", "text": SUMMARY_ACK}, None)])
        elif assistant_next:
            yield _Draft("user", blocks=[({"type": "text", "text": OPENING}, None)])
