"""What a search finds an event by."""

import pytest

from desktop.domain.context.events import Compacted
from desktop.domain.core.content import Card
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.event_texts import MOST_CHARS, searched
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    Notice,
    SessionStarted,
    TitleChanged,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    CredentialRequest,
    PictureReview,
    PlanReview,
    Question,
    QuestionRequest,
)
from desktop.domain.skills.review import SkillReview

TEXT = (
    {"type": "thinking", "thinking": "hidden"},
    {"type": "text", "text": "said"},
    {"type": "text", "text": 4},
    "odd",
)
APPROVAL = ApprovalRequest(
    call_id="c", card=Card(title="Run"), category=Category.BASH, reason="r", rule="mode", mode=PermissionMode.EDIT,
    digest="d",
)  # fmt: skip
PICTURE = PictureReview(call_id="c", target="window", width=1, height=1)
ASKED = QuestionRequest(call_id="c", questions=(Question(id="q", text="Which?"), Question(id="w", text="Why?")))


def asked(request: object) -> InputRequested:
    return InputRequested.model_validate({"input_id": "i", "call_id": "c", "request": request})


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (SessionStarted(title="First"), ("title", "First")),
        (TitleChanged(title="Later"), ("title", "Later")),
        (TitleChanged(title="  "), None),
        (UserMessage(parts=TEXT), ("prompt", "said")),
        (UserMessage(parts=TEXT, origin="note"), ("note", "said")),
        (AssistantMessage(parts=TEXT), ("answer", "said")),
        (ToolCallStarted(call_id="c", tool="bash", input="raw"), ("call", "bash raw")),
        (ToolCallStarted(call_id="c", tool="bash", input={"a": "é"}), ("call", 'bash {"a": "é"}')),
        (ToolCallFinished(call_id="c", outcome="ok", content="done"), ("result", "done")),
        (ToolCallFinished(call_id="c", outcome="ok", content=TEXT), ("result", "said")),
        (Compacted(summary="short"), ("summary", "short")),
        (Compacted(summary=None), None),
        (asked(APPROVAL), None),
        (asked(PlanReview(call_id="c", plan="steps")), ("question", "steps")),
        (asked(SkillReview(skill_id="notes", source="x", sha256="a", description="How")), ("question", "notes How")),
        (asked(PICTURE), None),
        (asked(PICTURE.model_copy(update={"title": "Shop"})), ("question", "Shop")),
        (asked(CredentialRequest(call_id="c", provider="Shop", why="To deploy")), ("question", "Shop  To deploy")),
        (asked(ASKED), ("question", "Which?\nWhy?")),
        (
            InputResolved(input_id="i", answer=Answer(outcome="answered", choices={"q": ("a", "b")}, note="n")),
            ("reply", "a b n"),
        ),
        (Notice(kind="k", text="t"), None),
    ],
)
def test_its_words_without_thinking(event: EventBase, found: tuple[str, str] | None) -> None:
    assert searched(event) == found


def test_the_text_is_one_that_a_database_holds() -> None:
    found = searched(TitleChanged(title="\ud83d a\0b" + "x" * MOST_CHARS))
    assert found is not None
    assert found.text.startswith("\ufffd a b")
    assert len(found.text) == MOST_CHARS
