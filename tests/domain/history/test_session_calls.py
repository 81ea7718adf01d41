"""SessionState: how far the calls of a turn are, what waits for a person, what was allowed, tainted or taken back."""

import pytest

from desktop.domain.chats.library_events import Imported
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.core.work import Todo
from desktop.domain.events import (
    AssistantMessage,
    Event,
    InputRequested,
    InputResolved,
    LaneAttached,
    SessionResumed,
    TodosChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import (
    EffectPreviewed,
    InputRevised,
    ReviewFlagged,
    ReviewReverted,
    RuleRemoved,
    RuleSaved,
    SandboxProbed,
    SessionTainted,
    TaintCleared,
)
from desktop.domain.gate.pending import ApprovalRequest, GrantOffer, Question, QuestionRequest
from desktop.domain.gate.rules import Rule
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.history.state import Grant
from tests.domain.history.test_session import AT, after

TURN = TurnStarted(turn_id="t")
DECIDED = ToolCallDecided(
    call_id="c", name_called="bash", tool="bash", verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.EDIT
)
APPROVAL = ApprovalRequest(
    call_id="c", card=Card(title="Run"), category=Category.BASH, reason="r", rule="mode", mode=PermissionMode.EDIT,
    digest="d", remember_key="npm test", grants=(GrantOffer(scope="session", covers="npm test, in this chat"),),
)  # fmt: skip
QUESTION = QuestionRequest(call_id="q", questions=(Question(id="one", text="?"),))


def asked(request: ApprovalRequest | QuestionRequest, input_id: str = "i") -> InputRequested:
    return InputRequested(input_id=input_id, call_id=request.call_id, request=request)


def answered(outcome: str, reason: str = "person") -> InputResolved:
    return InputResolved.model_validate({"input_id": "i", "answer": {"outcome": outcome}, "reason": reason})


def test_a_turn_counts_its_whole_answers_and_knows_how_far_each_call_is() -> None:
    carded = DECIDED.model_copy(update={"call_id": "d", "card": Card(title="Run the tests")})
    begun = ToolCallStarted(call_id="c", tool="bash")
    said, cut = AssistantMessage(parts=(), usage=Usage(input=2)), AssistantMessage(parts=(), interrupted=True)
    turn = after(TURN, said, cut, DECIDED, carded, begun, ToolCallFinished(call_id="c", outcome="ok")).turn
    assert turn is not None
    assert turn.steps == 1
    assert [(one.title, one.started, one.finished) for one in turn.calls.values()] == [
        ("bash", True, True), ("Run the tests", False, False),
    ]  # fmt: skip
    assert after(said, DECIDED).turn is None


def test_the_list_and_the_lane_are_the_newest() -> None:
    todo = Todo(id="1", content="a")
    state = after(TodosChanged(todos=(todo,)), LaneAttached(lane_id="ln", branch="b", worktree_path="/w"))
    assert state.todos == (todo,)
    assert (state.lane_id, state.branch, state.worktree_path) == ("ln", "b", "/w")


@pytest.mark.parametrize(
    ("outcome", "request_", "granted"),
    [
        ("allow_always", APPROVAL, {"npm test": Grant(covers="npm test, in this chat", seq=1)}),
        ("allow_always", APPROVAL.model_copy(update={"grants": ()}), {"npm test": Grant(covers="", seq=1)}),
        ("allow_always", APPROVAL.model_copy(update={"remember_key": None}), {}),
        ("allow_once", APPROVAL, {}),
        ("answered", QUESTION, {}),
    ],
)
def test_what_is_allowed_for_the_chat_is_what_a_person_said_so_of(
    outcome: str, request_: ApprovalRequest | QuestionRequest, granted: dict[str, Grant]
) -> None:
    state = after(asked(request_), answered(outcome))
    assert state.open_inputs == {}
    assert state.grants == granted


def test_a_question_that_a_restart_closed_can_still_be_answered_and_an_approval_cannot() -> None:
    assert set(after(asked(QUESTION), answered("cancelled", "restart")).late_inputs) == {"i"}
    assert after(asked(APPROVAL), answered("cancelled", "restart")).late_inputs == {}
    assert after(answered("allow_always")).grants == {}


def test_what_ran_without_asking_waits_to_be_looked_back_on() -> None:
    looked_at = APPROVAL.model_copy(update={"blocking": False})
    other = looked_at.model_copy(update={"call_id": "o"})
    both: tuple[Event, ...] = (asked(looked_at), asked(other, "j"))
    state = after(*both)
    assert (set(state.reviews), state.open_inputs) == ({"i", "j"}, {})
    revised = looked_at.model_copy(update={"reason": "more"})
    assert after(*both, InputRevised(input_id="i", request=revised)).reviews == {"i": "c", "j": "o"}
    assert set(after(*both, answered("allow_once")).reviews) == {"j"}
    flagged = after(*both, ReviewFlagged(input_ids=("i",), note=" why? "), ReviewFlagged(input_ids=(), note="and"))
    assert (set(flagged.reviews), flagged.review_note) == ({"j"}, "why?\nand")
    taken_back = after(*both, ReviewReverted(call_id="o"))
    assert (set(taken_back.reviews), taken_back.reverted) == ({"i"}, {"o"})


def test_the_note_of_a_review_is_told_once() -> None:
    flagged = ReviewFlagged(input_ids=(), note="why?")
    assert after(flagged, UserMessage(parts=(), origin="note", note_kind="review")).review_note == ""
    assert after(flagged, UserMessage(parts=(), origin="note")).review_note == "why?"


def test_a_rule_of_the_chat_is_there_until_it_is_removed_or_made_anew() -> None:
    rule = Rule(id="r", decision="deny", kind="tool", name="bash", scope="session")
    newer = rule.model_copy(update={"decision": "ask"})
    elsewhere = RuleSaved(rule=rule.model_copy(update={"id": "p", "scope": "project"}))
    assert [one.rule for one in after(RuleSaved(rule=rule), elsewhere, RuleSaved(rule=newer)).rules] == [newer]
    assert after(RuleSaved(rule=rule), RuleRemoved(rule_id="r", scope="session")).rules == ()


def test_a_taint_is_told_once_by_source_and_kind_until_a_person_clears_it() -> None:
    read = [SessionTainted(reason="secret", source=".env"), SessionTainted(reason="secret", source="key.pem")]
    state = after(*read, read[0])
    assert (state.tainted, state.taint_reasons) == ((".env", "key.pem"), ("secret",))
    cleared = after(*read, TaintCleared())
    assert (cleared.tainted, cleared.taint_reasons) == ((), ())


def test_what_was_tried_is_kept_for_the_card_and_for_the_chat() -> None:
    preview = EffectPreview(triggers=("log",))
    report = SandboxReport(id="sbx", at=AT)
    state = after(EffectPreviewed(input_id="i", preview=preview), SandboxProbed(report=report))
    assert (state.previews, state.sandbox) == ({"i": preview}, report)


@pytest.mark.promise("sessions-SG7")
def test_what_a_file_says_of_allowances_counts_for_nothing() -> None:
    given = (asked(APPROVAL), answered("allow_always"), LaneAttached(lane_id="ln"), TURN)
    state = after(*given, Imported(project_path="/ours"))
    assert state.imported
    assert (state.grants, state.lane_id, state.turn, state.project_path) == ({}, "", None, "/ours")


def test_a_chat_from_a_file_goes_on_where_it_is_continued() -> None:
    moved = after(SessionResumed(project_id="p", project_path="/p"))
    assert (moved.project_id, moved.project_path) == ("p", "/p")
    assert after(SessionResumed()).project_id == ""
