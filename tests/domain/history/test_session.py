"""SessionState: what a session is after its events."""

from datetime import UTC, datetime

from desktop.domain.chats.library_events import SessionFlagChanged
from desktop.domain.context.events import CompactionStaged
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.core.usage import Usage, add_usage
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    ModeChanged,
    ModelChanged,
    ProviderFailed,
    SessionForked,
    SessionStarted,
    TitleChanged,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.domain.gate.events import (
    HostedGrantGiven,
    InputRevised,
    RuleRemoved,
    RulesAccepted,
    RuleSaved,
    SandboxChosen,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest, Question, QuestionRequest, normalise_answer
from desktop.domain.gate.rules import Rule
from desktop.domain.history.state_of import SessionState, fold, title_from

AT = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)


def after(*events: Event) -> SessionState:
    state = SessionState()
    for seq, event in enumerate(events):
        state = fold(state, Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=AT, event=event))
    return state


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


def test_the_first_message_names_a_chat_that_has_no_title() -> None:
    assert after(SessionStarted(), said("\n  Fix it \nnow")).title == "Fix it"
    assert after(SessionStarted(), said("Fix it"), said("And more")).title == "Fix it"
    assert title_from("x" * 60) == "x" * 47 + "…"
    assert title_from("  \n ") == ""


def test_a_title_by_a_person_stays_until_they_clear_it() -> None:
    named = (SessionStarted(), TitleChanged(title="auto"), TitleChanged(title="mine", by="person"))
    assert after(*named).title == "mine"
    assert after(*named, TitleChanged(title="other")).title == "mine"
    cleared = after(*named, TitleChanged(title="other"), TitleChanged(title="", by="person"))
    assert (cleared.title, cleared.titled_by_person) == ("other", False)
    assert len(after(TitleChanged(title="x" * 200, by="person")).title) == 80


def test_a_fork_starts_without_grants_spend_or_a_running_turn() -> None:
    source = (
        SessionStarted(mode=PermissionMode.FULL_AUTO), SandboxChosen(level="none"), HostedGrantGiven(),
        TurnStarted(turn_id="t"), ProviderFailed(attempt=1, max_attempts=5, category="server", usage=Usage(input=5)),
    )  # fmt: skip
    before = after(*source)
    assert before.without_sandbox
    assert before.hosted_grant
    assert before.usage == Usage(input=5)
    assert before.cost_unknown
    forked = after(*source, SessionForked(mode=PermissionMode.EDIT, title="Fork"))
    assert (forked.title, forked.mode, forked.turn) == ("Fork", PermissionMode.EDIT, None)
    assert not forked.without_sandbox
    assert not forked.hosted_grant
    assert forked.usage == Usage()


def test_flags_modes_and_models_follow_their_events() -> None:
    state = after(
        SessionStarted(), SessionFlagChanged(flag="pinned", value=True),
        SessionFlagChanged(flag="archived", value=True),
        ModeChanged(mode=PermissionMode.PLAN, previous=PermissionMode.EDIT, by="person"),
        ModelChanged(endpoint_id="e", model="m", thinking="low"),
    )  # fmt: skip
    assert state.archived
    assert (state.mode, state.mode_before_plan) == (PermissionMode.PLAN, PermissionMode.EDIT)
    assert (state.endpoint_id, state.model, state.thinking) == ("e", "m", "low")
    back = ModeChanged(mode=PermissionMode.EDIT, previous=PermissionMode.PLAN, by="plan_approval")
    assert after(SessionStarted(), back).mode_before_plan is None


def test_failed_and_interrupted_hold_until_the_next_turn() -> None:
    failed = (TurnStarted(turn_id="t"), TurnEnded(turn_id="t", status="failed", reason="auth"))
    assert after(*failed).failed == "auth"
    assert after(*failed, TurnStarted(turn_id="u")).failed == ""


def test_a_turn_that_stopped_at_a_limit_is_told_until_the_next_one():
    begun = TurnStarted(turn_id="t")
    for status in ("limit", "loop"):
        assert after(begun, TurnEnded(turn_id="t", status=status)).limited
    assert not after(begun, TurnEnded(turn_id="t", status="limit"), TurnStarted(turn_id="u")).limited
    assert not after(begun, TurnEnded(turn_id="t", status="completed")).limited
    cut = (TurnStarted(turn_id="t"), TurnEnded(turn_id="t", status="interrupted", reason="restart"))
    assert after(*cut).interrupted
    assert not after(*cut, TurnStarted(turn_id="u")).interrupted


def test_what_belongs_to_no_turn_or_is_unknown_changes_nothing_but_the_place() -> None:
    odd = (ToolCallFinished(call_id="c", outcome="ok"), UnknownEvent(original_type="x", raw="{}", reason="invalid"))
    state = after(SessionStarted(), *odd, ProviderFailed(attempt=1, max_attempts=1, category="server"))
    assert state.turn is None
    assert state.usage == Usage()
    assert state.head_seq == 3


def test_tokens_that_were_not_reported_stay_unknown() -> None:
    assert add_usage(Usage(input=1), Usage(output=2)) == Usage(input=1, output=2)
    assert add_usage(Usage(), Usage()) == Usage()
    assert Usage(input=1, cache_read=2, cache_write_5m=3).total_input == 6


def test_answers_are_brought_into_one_form() -> None:
    request = QuestionRequest(
        call_id="c",
        questions=(Question(id="one", text="?"), Question(id="many", text="?", multi_select=True)),
    )
    given = Answer(outcome="answered", choices={"one": (" a ", "b"), "many": ("x", " ", "y"), "other": ("z",)})
    assert normalise_answer(request, given).choices == {"one": ("a",), "many": ("x", "y")}
    assert normalise_answer(request, Answer(outcome="answered", choices={"one": (" ",)})).outcome == "reject"
    assert normalise_answer(request, Answer(outcome="answered", note="hm")).outcome == "answered"
    assert normalise_answer(request, Answer(outcome="reject", choices={"one": ("a", "b")})).choices["one"] == ("a", "b")


def test_what_failed_attempts_and_summaries_cost_counts_and_an_unknown_cost_is_said() -> None:
    failed = ProviderFailed(attempt=1, max_attempts=5, category="server", usage=Usage(input=5), cost_microusd=15)
    staged = CompactionStaged(usage=Usage(input=7, output=2), cost_microusd=51)
    state = after(SessionStarted(), failed, staged)
    assert (state.usage, state.cost_microusd, state.cost_unknown) == (Usage(input=12, output=2), 66, False)
    assert after(SessionStarted(), staged.model_copy(update={"cost_microusd": None})).cost_unknown
    assert not after(SessionStarted(), CompactionStaged()).cost_unknown


def test_an_open_request_is_as_it_was_revised_and_a_closed_one_stays_closed() -> None:
    request = ApprovalRequest(
        call_id="c", card=Card(title="Run"), category=Category.BASH, reason="old", rule="mode",
        mode=PermissionMode.EDIT, digest="ab",
    )  # fmt: skip
    other = request.model_copy(update={"reason": "new", "digest": "cd"})
    asked = InputRequested(input_id="i", call_id="c", request=request)
    assert after(asked, InputRevised(input_id="i", request=other)).open_inputs["i"].request == other
    assert after(InputRevised(input_id="i", request=other)).open_inputs == {}


def test_rules_that_are_changed_elsewhere_are_no_activity_of_a_chat() -> None:
    rule = Rule(id="r-1", decision="deny", kind="command", tokens=("make",))
    elsewhere = (
        RuleSaved(rule=rule), RuleRemoved(rule_id="r-1", scope="user"), RulesAccepted(path="/x", sha256="ab"),
    )  # fmt: skip
    assert after(*elsewhere).last_activity_at is None
    assert after(RuleSaved(rule=rule, input_id="inp_1")).last_activity_at == AT
