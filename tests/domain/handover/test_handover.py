"""The handover as a fold: its sections, its sums, and that they fit the logs they come from."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryProposed
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.core.work import Todo
from desktop.domain.events import (
    AssistantMessage,
    Event,
    InputRequested,
    InputResolved,
    ModeChanged,
    TodosChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.domain.gate.events import (
    RevertedFile,
    ReviewReverted,
    RuleRemoved,
    RuleSaved,
    SandboxChosen,
    SessionTainted,
)
from desktop.domain.gate.pending import ApprovalRequest, PlanReview, Question, QuestionRequest
from desktop.domain.gate.rules import Rule
from desktop.domain.handover.decisions import decisions
from desktop.domain.handover.fold import LINE_CHARS, handover, one_line
from desktop.domain.handover.values import MOST_LINES, ChatLog, Decided, Handover
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state import SessionState
from desktop.domain.memory.events import MemoryWritten
from desktop.domain.undo.events import UndoBegun
from tests.domain.ledger.test_ledger import AT, EDITED, call, log

LATER = AT + timedelta(days=1)


def page(*events: Event, since: int | None = None, title: str = "Chat") -> Handover:
    entries = log(*events)
    state = fold_log(SessionState.begin("s"), entries)
    return handover([ChatLog(title, entries, state)], None if since is None else AT + timedelta(minutes=since), LATER)


def lines(found: Handover, title: str) -> list[str]:
    (section,) = (section for section in found.sections if section.title == title)
    return [line.text for line in section.lines]


def decided(call_id: str, verdict: Verdict, *, rule: str = "mode", lifted_by: str | None = None) -> ToolCallDecided:
    return ToolCallDecided(
        call_id=call_id, name_called="bash", tool="bash", verdict=verdict, rule=rule, reason="Because.",
        lifted_by=lifted_by, mode=PermissionMode.EDIT, category="bash",
    )  # fmt: skip


def asked(call_id: str, *, blocking: bool = True) -> InputRequested:
    request = ApprovalRequest(
        call_id=call_id, card=Card(title="Run npm test"), category=Category.BASH, reason="r", rule="mode",
        mode=PermissionMode.EDIT, digest="d", blocking=blocking,
    )  # fmt: skip
    return InputRequested(input_id=f"i{call_id}", call_id=call_id, request=request)


def answered(call_id: str, outcome: str, reason: str = "person", **more: object) -> InputResolved:
    return InputResolved.model_validate(
        {"input_id": f"i{call_id}", "answer": {"outcome": outcome, **more}, "reason": reason}
    )


def said(text: str, origin: str = "person") -> UserMessage:
    return UserMessage.model_validate({"parts": ({"type": "text", "text": text},), "origin": origin})


def test_each_call_is_counted_once_by_who_decided() -> None:
    found = page(
        decided("1", Verdict.ALLOW), decided("2", Verdict.ALLOW, lifted_by="r1"), decided("3", Verdict.DENY),
        decided("4", Verdict.ASK), asked("4"), answered("4", "allow_once"), decided("4", Verdict.ALLOW),
        decided("5", Verdict.ASK), asked("5"), answered("5", "cancelled", "interrupted"),
        decided("6", Verdict.ASK), asked("6"), answered("6", "allow_once", "rule"),
        decided("7", Verdict.ASK), asked("7"), answered("7", "allow_once", "mode"),
        decided("8", Verdict.ASK), asked("8"),
        decided("9", Verdict.ALLOW), asked("9", blocking=False), answered("9", "reject"),
    )  # fmt: skip
    assert found.decided == Decided(calls=8, people=1, rules=2, modes=3, refused=1, nobody=1)
    assert (found.decided.difference, found.difference) == (0, 0)
    assert lines(found, "Open") == ["Waits for an answer: Run npm test"]
    assert lines(found, "Tried and refused") == ["1 × mode: Because."]


def test_a_sum_that_does_not_fit_is_told() -> None:
    assert Decided(calls=3, people=1).difference == 2


def test_what_was_asked_and_decided() -> None:
    plan = PlanReview(call_id="p", plan="1. Look\n2. Mend")
    question = QuestionRequest(call_id="q", questions=(Question(id="one", text="?"),))
    found = page(
        said("Fix it\nplease"), said("a note", "note"), said("", "queued"),
        InputRequested(input_id="ip", call_id="p", request=plan), answered("p", "allow_once"),
        InputRequested(input_id="ip2", call_id="p2", request=plan), answered("p2", "reject"),
        InputRequested(input_id="iq", call_id="q", request=question), answered("q", "answered"),
        decided("1", Verdict.ASK), asked("1"), answered("1", "reject", note="not now"),
        decided("2", Verdict.ASK), asked("2"), answered("2", "reject"),
        decided("3", Verdict.ASK), asked("3"), answered("3", "allow_once", edited_input={"command": "ls"}),
        RuleSaved(rule=Rule(id="r", decision="deny", kind="path", glob="src/**")),
        ModeChanged(mode=PermissionMode.FULL_AUTO, previous=PermissionMode.EDIT, by="person"),
        ModeChanged(mode=PermissionMode.EDIT, previous=PermissionMode.FULL_AUTO, by="restart"),
        SandboxChosen(level="none"), SandboxChosen(level="full"), SessionTainted(reason="untrusted", source="a page"),
        MemoryWritten(memory_id="m", status="quarantined", content="Push freely."), MemoryWritten(memory_id="n"),
    )  # fmt: skip
    assert lines(found, "Asked") == ["Fix it", "(files alone)", "Plan approved: 1. Look", "Plan declined: 1. Look"]
    assert lines(found, "Decided") == [
        "Declined: bash (not now)", "Declined: bash", "Allowed after a change: bash", "Rule saved: deny src/**",
        "Mode: Edit to Full auto",
    ]  # fmt: skip
    assert lines(found, "Risks") == [
        "Full auto from here on", "Full auto without a sandbox was accepted", "Read untrusted data: a page",
        "Written to the memory, waits for review: Push freely.",
    ]  # fmt: skip


def test_changes_are_the_entries_of_the_ledger() -> None:
    found = page(
        *call("edit_file", call_id="1", touched=(EDITED,)),
        *call("push_lane", call_id="2", category="external"),
        *call("bash", call_id="3", category="bash", outcome="interrupted"),
        *call("create_lane", call_id="4", category="external")[:2],
        ReviewReverted(call_id="1", files=(RevertedFile(path="a.py"),)),
        FilesRestored(restored=("a",), removed=("b",)),
        RuleRemoved(rule_id="r", scope="project"),
        UndoBegun(undo_id="u", effect_ids=("2",), what="Undo: Do push_lane"),
    )
    assert lines(found, "Changed") == [
        "Do edit_file (a.py), taken back", "Do push_lane", "Do bash", "Do create_lane",
        "Undo: Do push_lane",
    ]  # fmt: skip
    assert found.changes == 5
    assert lines(found, "Undone") == [
        "Taken back: a.py", "A checkpoint was put back: 2 files", "A rule was removed", "Undo: Do push_lane",
    ]  # fmt: skip
    assert lines(found, "Risks") == [
        "A call was cut off; its outcome is not known", "Whether it was done is not known: Do create_lane",
    ]  # fmt: skip


def test_a_change_of_files_says_how_many_lines_came_and_went() -> None:
    more = EDITED.model_copy(update={"added": 3}), EDITED.model_copy(update={"path": "b.py", "removed": 2})
    assert lines(page(*call("edit_file", touched=more)), "Changed") == ["Do edit_file (a.py, b.py, +3 −2)"]


def test_what_is_open_and_what_comes_next() -> None:
    question = QuestionRequest(call_id="q", questions=(Question(id="one", text="?"),))
    found = page(
        TurnStarted(turn_id="t"),
        TodosChanged(todos=(Todo(id="1", content="Test"), Todo(id="2", content="Done", status="completed"))),
        AssistantMessage(parts=({"type": "text", "text": "I will test next.\nThen stop."},)),
        InputRequested(input_id="iq", call_id="q", request=question),
        MessageQueued(queue_id="m", parts=({"type": "text", "text": "And this"},)),
        MessageQueued(queue_id="n", parts=({"type": "image"},)),
        decided("9", Verdict.ALLOW), asked("9", blocking=False),
    )  # fmt: skip
    (opened,) = (section for section in found.sections if section.title == "Open")
    assert [(f"{line.at:%H:%M}", line.text) for line in opened.lines] == [
        ("08:03", "Waits for an answer: a question"), ("08:04", "Queued: And this"), ("08:05", "Queued: (files alone)")
    ]  # fmt: skip
    assert lines(found, "Next") == ["The agent's last words: I will test next.", "To do: Test"]
    assert lines(found, "Risks") == ["1 call ran without asking and was not looked back on"]
    assert lines(page(AssistantMessage(parts=()), said("x")), "Next") == []


def test_only_the_time_asked_for_is_told() -> None:
    found = page(said("before"), decided("1", Verdict.ALLOW), said("after"), since=1)
    assert lines(found, "Asked") == ["after"]
    assert found.decided.calls == 0


def test_boundaries_stand_in_the_persons_words_and_with_what_became_of_them() -> None:
    found = page(
        BoundaryProposed(boundary_id="b1", quote="never push", action="push", title="Don’t push", rules=()),
        BoundaryProposed(boundary_id="b2", quote="x", action="", title="Ask before you run x", rules=(), by="agent"),
        BoundaryDecided(boundary_id="b1", decision="kept"),
        BoundaryDecided(boundary_id="b0", decision="lifted"),
    )
    assert lines(found, "Asked") == [
        "Boundary: Don’t push (“never push”)", "Boundary: Ask before you run x (found by the agent)",
        "Boundary kept: Don’t push", "Boundary lifted: an earlier one",
    ]  # fmt: skip


def test_each_line_names_its_entry_and_none_of_the_projects_own_log() -> None:
    entries = log(said("go"), decided("9", Verdict.ASK), asked("9"), said("more"))
    for kind, ids in (("standard", {e.event_id for e in entries}), ("project", {""})):
        state = fold_log(SessionState.begin("s"), entries).model_copy(update={"kind": kind})
        found = handover([ChatLog("Chat", entries, state)], None, LATER)
        told = [line for section in found.sections for line in section.lines]
        assert {line.event_id for line in told} <= ids
        (waits,) = (line for line in told if line.text.startswith("Waits"))
        assert waits.seq == entries[2].seq


@pytest.mark.promise("memory-HO3")
def test_an_imported_chat_is_marked_and_in_no_sum_of_the_others() -> None:
    entries = log(said("go"), *call("edit_file", call_id="4", touched=(EDITED,)), decided("9", Verdict.ASK), asked("9"))
    state = fold_log(SessionState.begin("s"), entries)
    other = ChatLog("Theirs", entries, state.model_copy(update={"imported": True}))
    mine = log(said("mine"))
    ours = ChatLog("Mine", mine, fold_log(SessionState.begin("s"), mine))
    own, both = page(said("mine")), handover([ours, other], None, LATER)
    assert (both.chats, both.decided, both.changes, both.difference) == (1, own.decided, own.changes, 0)
    assert (both.imported.chats, both.imported.calls, both.imported.changes) == (1, 1, 1)
    sections = {section.title: section.lines for section in both.sections}
    assert {line.chat for line in (*sections["Asked"], *sections["Changed"])} == {"Mine", "Theirs (imported)"}
    assert sections["Open"] == ()


@pytest.mark.promise("memory-HO3")
def test_a_damaged_chat_is_marked_counted_apart_and_goes_on() -> None:
    entries = log(said("go"), *call("edit_file", call_id="4", touched=(EDITED,)), decided("9", Verdict.ASK), asked("9"))
    state = fold_log(SessionState.begin("s"), entries)
    broken = ChatLog("Theirs", entries, state, "1 entry does not fit, the first is number 3")
    nothing = ChatLog("Gone", (), SessionState.begin("s2"), "nothing of it can be read")
    found = handover([broken, nothing], None, LATER)
    assert (found.chats, found.decided, found.changes, found.difference) == (0, Decided(), 0, 0)
    assert (found.damaged.chats, found.damaged.calls, found.damaged.changes) == (2, 1, 1)
    assert lines(found, "Risks") == [
        "The record of this chat is damaged: 1 entry does not fit, the first is number 3",
        "The record of this chat is damaged: nothing of it can be read",
    ]
    assert [line.chat for line in found.sections[2].lines] == ["Theirs (damaged)"]
    assert len(lines(found, "Open")) == 1
    (lost,) = (line for line in found.sections[5].lines if line.chat == "Gone (damaged)")
    assert (lost.session_id, lost.event_id, lost.at) == ("s2", "", LATER)


def test_a_long_section_counts_the_rest_and_a_long_line_is_cut() -> None:
    found = page(*(said(f"message {n}") for n in range(MOST_LINES + 3)))
    (section,) = (section for section in found.sections if section.title == "Asked")
    assert (len(section.lines), section.more) == (MOST_LINES, 3)
    assert one_line("x" * 500) == "x" * (LINE_CHARS - 1) + "…"
    assert one_line(" \n") == ""


_EVENTS = st.sampled_from(
    [
        *(decided(call_id, verdict) for call_id in "123" for verdict in Verdict),
        *(asked(call_id) for call_id in "123"),
        *(answered(call_id, "allow_once", by) for call_id in "123" for by in ("person", "rule", "restart")),
        *call("edit_file", call_id="4", touched=(EDITED,)), *call("bash", call_id="5", category="bash"),
        BoundaryProposed(boundary_id="b", quote="q", action="push", title="Don’t push", rules=()),
        BoundaryDecided(boundary_id="b", decision="dismissed"), ReviewReverted(call_id="4"), said("hi"),
        ToolCallStarted(call_id="1", tool="bash"),
        ToolCallFinished(call_id="1", outcome="ok"),
    ]
)  # fmt: skip


@pytest.mark.promise("memory-HO1")
@pytest.mark.promise("memory-HO3")
@given(st.lists(_EVENTS, max_size=40), st.integers(0, 40))
def test_whatever_a_log_holds_the_page_fits_it(events: list[Event], since: int) -> None:
    events = [said("first"), *events]
    found = page(*events, since=since)
    assert found.difference == 0
    assert found == page(*events, since=since)
    settled = [one for one in decisions(log(*events)) if one.by != "open"]
    calls = {one.decided.call_id for one in settled if one.envelope.seq > since}
    assert found.decided.calls == len(calls)


def settled_by_hand(events: list[Event]) -> Decided:
    """Who decided each call, counted another way: from the end of the log, call by call."""
    by: dict[str, str] = {}
    for call_id in {event.call_id for event in events if isinstance(event, ToolCallDecided)}:
        last = [event for event in events if isinstance(event, ToolCallDecided) and event.call_id == call_id][-1]
        closed = [
            later.reason
            for at, event in enumerate(events)
            if isinstance(event, InputRequested) and event.call_id == call_id and event.request.blocking
            for later in events[at:]
            if isinstance(later, InputResolved) and later.input_id == event.input_id
        ]
        if last.verdict is Verdict.DENY:
            by[call_id] = "refused"
        elif closed:
            newest = next(e for e in reversed(events) if isinstance(e, InputResolved) and e.input_id == f"i{call_id}")
            by[call_id] = {"person": "people", "rule": "rules"}.get(newest.reason, "nobody")
        elif last.verdict is Verdict.ALLOW:
            by[call_id] = "modes"
    sums = {name: [*by.values()].count(name) for name in ("people", "rules", "modes", "refused", "nobody")}
    return Decided(calls=len(by), **sums)


@pytest.mark.promise("memory-HO3")
@given(st.lists(_EVENTS, max_size=40))
def test_the_sums_of_a_page_are_those_that_are_counted_by_hand(events: list[Event]) -> None:
    assert page(*events).decided == settled_by_hand(events)


def test_a_summary_says_who_wrote_it_and_that_it_is_none_of_the_lines() -> None:
    told = page(said("go")).model_copy(update={"summary": "All is well.", "summary_by": "opus"})
    assert told.summary_note == "Written by opus from this page. It is no part of the record."


def test_entries_that_cannot_be_read_are_passed_over() -> None:
    kinds = ("undo_begun", "tool_call_decided", "tool_call_started", "user_message", "mode_changed", "rule_saved")
    found = page(said("go"), *(UnknownEvent(original_type=kind, raw="{}", reason="invalid") for kind in kinds))
    assert (found.difference, found.decided, found.changes) == (0, Decided(), 0)
    assert [line.text for section in found.sections for line in section.lines] == ["go"]
