"""What a readable copy says of each event."""

from datetime import UTC, datetime

import pytest

from desktop.domain.chats.library_events import Imported
from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    ModeChanged,
    ModelChanged,
    Notice,
    ProviderFailed,
    SessionForked,
    SessionStarted,
    TodosChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, CredentialRequest, PictureReview, PlanReview, Question, QuestionRequest
from desktop.domain.skills.review import SkillReview
from desktop.domain.web.events import FoundPage, VendorSearched
from desktop.store.library.export_items import Item, ItemReader

AT = "2026-01-05 14:02:00 UTC"
ASKED = QuestionRequest(call_id="c", questions=(Question(id="q", text="?"),))
DECIDED = ToolCallDecided(
    call_id="c", name_called="bash", verdict=Verdict.DENY, rule="r", reason="No.", mode=PermissionMode.EDIT
)


def read(*events: Event) -> list[Item]:
    reader = ItemReader()
    at = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)
    envelopes = (
        Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=at, event=event)
        for seq, event in enumerate(events)
    )
    return [item for envelope in envelopes for item in reader.items(envelope)]


@pytest.mark.parametrize(
    ("event", "items"),
    [
        (SessionStarted(), [Item("line", "Chat began", AT)]),
        (SessionForked(), [Item("line", "Forked from another chat", AT)]),
        (
            ModeChanged(mode=PermissionMode.PLAN, previous=PermissionMode.EDIT, by="person"),
            [Item("line", "Mode: plan", f"{AT}, by person.")],
        ),
        (AssistantMessage(parts=({"type": "thinking", "thinking": "t"},)), []),
        (AssistantMessage(parts=({"type": "text", "text": "a"},), interrupted=True), [
            Item("answer", "Agent (interrupted)", "a")
        ]),
        (TurnEnded(turn_id="t", status="failed", detail="Why."), [Item("line", "Turn ended: failed", f"{AT}. Why.")]),
        (Compacted(summary="s"), [Item("note", "Earlier messages were replaced by a summary", "s")]),
        (Compacted(), [Item("note", "Earlier messages were replaced by a summary", "")]),
        (ContextCleared(tokens_before=1), [Item("line", "Context cleared", AT)]),
        (FilesRestored(to_checkpoint_id="k"), [Item("line", "Files were put back", AT)]),
        (
            ProviderFailed(attempt=1, max_attempts=2, category="server", message="m"),
            [Item("line", "A request failed: server", f"{AT}. m")],
        ),
        (Notice(kind="k", text="Note."), [Item("line", "Note.", AT)]),
        (Imported(chain="broken"), [
            Item("line", "What stands above came from a file", f"{AT}. Record: broken.")
        ]),
        (TodosChanged(todos=()), []),
        (DECIDED, [Item("line", "Deny: bash", f"{AT}, rule r. No.")]),
        (DECIDED.model_copy(update={"card": Card(title="Run")}), [Item("line", "Deny: Run", f"{AT}, rule r. No.")]),
        (ToolCallStarted(call_id="c", tool="t", input="raw"), [Item("call", "Call t", "raw")]),
        (ToolCallStarted(call_id="c", tool="t", input=1, executed_input=2), [Item("call", "Call t", "2")]),
    ],
)  # fmt: skip
def test_an_event_says(event: Event, items: list[Item]) -> None:
    assert read(event) == items


def test_a_turn_is_headed_by_the_mode_and_the_model_it_runs_with() -> None:
    model = ModelChanged(endpoint_id="e", model="big")
    *_, line, _, heading = read(SessionStarted(model="small"), model, SessionForked(), TurnStarted(turn_id="t"))
    assert (line.head, line.text) == ("Model: big", AT)
    assert (heading.head, heading.text) == ("Turn 1", f"{AT}, edit, big")


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        (ASKED, "a question"), (PlanReview(call_id="c", plan="p"), "a plan"),
        (PictureReview(call_id="c", target="window", width=1, height=1), "a picture of the screen"),
        (CredentialRequest(call_id="c", provider="Shop"), "a secret"),
        (SkillReview(skill_id="notes", source="x", sha256="a"), "a skill to install"),
    ],
)  # fmt: skip
def test_what_was_asked_and_who_answered(request_: object, title: str) -> None:
    asked = InputRequested.model_validate({"input_id": "i", "call_id": "c", "request": request_})
    answered = InputResolved(input_id="i", answer=Answer(outcome="reject", note="Later."), reason="restart")
    assert [(item.head, item.text) for item in read(asked, answered)] == [
        (f"Asked: {title}", AT), (f"Reject: {title}", f"{AT}, by restart. Later."),
    ]  # fmt: skip
    demo = InputResolved(input_id="j", answer=Answer(outcome="allow_once"), demo=True)
    assert [(item.head, item.text) for item in read(demo)] == [("Allow once: ", f"{AT}, by the demo.")]


def test_pictures_stand_by_their_digest_and_foreign_parts_are_left_out() -> None:
    kept = {"type": "image", "source": {"data": {"$blob": "ab"}}}
    named = {"type": "document", "source": {"sha256": "cd"}}
    given = {"type": "image", "source": {"data": "AAAA"}}
    parts = ("odd", {"type": "text", "text": 4}, kept, named, given, {"type": "text", "text": "x"})
    (item,) = read(ToolCallFinished(call_id="c", outcome="ok", content=parts, duration_ms=1500))
    assert item == Item("result", "Result: ok, 1.5 s", "[image]\n\n[document]\n\n[image]\n\nx", "", ("ab", "cd"))
    (prompt, note) = read(UserMessage(parts=(kept,)), UserMessage(parts=(named,), origin="agent"))
    assert (prompt.kind, prompt.pictures, note.kind, note.text) == ("prompt", ("ab",), "note", "[document]")


def test_a_search_of_the_model_s_service_says_what_was_asked_and_found() -> None:
    found = VendorSearched(
        call_id="s", tool="web_search", query="q", results=(FoundPage(url="https://a.example.com/"),)
    )
    (item,) = read(found)
    assert (item.head, item.text) == (
        "The model's service did by itself: web_search: q",
        f"{AT}. https://a.example.com/",
    )
    (failed,) = read(found.model_copy(update={"results": (), "problem": "unavailable"}))
    assert failed.text.endswith("unavailable")
