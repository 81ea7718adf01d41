"""What an opened call says about who let it run."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import SessionOpened
from desktop.policy.modes import mode_reason
from desktop.ui.chats.folds.decisions import decision_sentence, refused_sentence
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Call
from tests.ui.transcript_log import SESSION, START, Log

EDIT, AUTO = PermissionMode.EDIT, PermissionMode.FULL_AUTO
ASKS = mode_reason(EDIT, Category.BASH, Verdict.ASK)


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    return model


def asked(log: Log) -> None:
    """A command that waits for a person."""
    log.decided("c1", "pytest -q", verdict=Verdict.ASK, rule="mode", reason=ASKS, category="bash")
    request = ApprovalRequest(
        call_id="c1", card=Card(title="pytest -q"), category=Category.BASH, reason=ASKS, rule="mode", mode=EDIT,
        digest="d",
    )  # fmt: skip
    log.add(InputRequested(input_id="i1", call_id="c1", request=request))


def ran(log: Log) -> None:
    log.add(ToolCallStarted(call_id="c1", tool="t"))
    log.add(ToolCallFinished(call_id="c1", outcome="ok", summary="exit 0"))


def call_of(model: TranscriptModel) -> Call:
    return next(row for row in model.rows if row.kind == "calls").calls[0]


@pytest.mark.parametrize(
    ("answer", "demo", "sentence"),
    [
        (Answer(outcome="allow_once"), False, "You allowed this once."),
        (Answer(outcome="allow_once"), True, "The demo allowed this once."),
        (Answer(outcome="allow_always", scope="session"), False, "You allowed this in this chat."),
    ],
)
def test_a_call_a_person_allowed_says_so_and_not_the_rule_that_asked(
    model: TranscriptModel, answer: Answer, demo: bool, sentence: str
) -> None:
    log = Log()
    asked(log)
    model.hearing.take([log.opened()])
    assert decision_sentence(call_of(model)) == ("Waits for you: no rule covers this command, so it asks in Edit mode.")
    log.add(InputResolved(input_id="i1", answer=answer, demo=demo))
    ran(log)
    model.hearing.take(log.envelopes[2:])
    assert call_of(model).state == "ok"
    assert decision_sentence(call_of(model)) == sentence


def test_a_declined_call_says_who_declined_it(model: TranscriptModel) -> None:
    log = Log()
    asked(log)
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="reject")))
    log.add(ToolCallFinished(call_id="c1", outcome="declined", content="The person declined."))
    model.hearing.take([log.opened()])
    assert decision_sentence(call_of(model)) == "You declined this."


def test_an_answer_in_a_newer_slice_reaches_its_call(model: TranscriptModel, qtbot: QtBot) -> None:
    log = Log()
    asked(log)
    cut = len(log.envelopes)
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="allow_once")))
    ran(log)
    older, newest = tuple(log.envelopes[:cut]), tuple(log.envelopes[cut:])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False)])
    qtbot.waitUntil(lambda: model.complete, timeout=25_000)
    assert decision_sentence(call_of(model)) == "You allowed this once."


@pytest.mark.parametrize(
    ("mode", "category", "proven", "lifted_by", "sentence"),
    [
        (EDIT, Category.READ, False, None, "Ran without asking: reads run in every mode."),
        (EDIT, Category.WRITE, False, None, "Ran without asking: Edit mode allows changes to files."),
        (AUTO, Category.BASH, False, None, "Ran without asking: Full auto mode allows commands."),
        (EDIT, Category.BASH, True, None, "Ran without asking: the command was shown to read only."),
        (EDIT, Category.BASH, False, "session_grant", "Allowed in this chat by you."),
    ],
)
def test_a_call_that_did_not_ask_says_why(
    model: TranscriptModel, mode: PermissionMode, category: Category, proven: bool, lifted_by: str | None, sentence: str
) -> None:
    log = Log()
    reason = mode_reason(mode, category, Verdict.ALLOW, proven_read=proven)
    log.decided("c1", rule="mode", reason=reason, category=category, mode=mode, lifted_by=lifted_by)
    ran(log)
    model.hearing.take([log.opened()])
    assert decision_sentence(call_of(model)) == sentence


def test_a_change_that_failed_is_not_said_to_have_been_made(model: TranscriptModel) -> None:
    log = Log()
    reason = mode_reason(EDIT, Category.WRITE, Verdict.ALLOW)
    log.decided("c1", rule="mode", reason=reason, category=Category.WRITE, mode=EDIT)
    log.add(ToolCallFinished(call_id="c1", outcome="error", content="not read yet", is_error=True))
    model.hearing.take([log.opened()])
    sentence = decision_sentence(call_of(model))
    assert sentence == "Allowed without asking: Edit mode allows changes to files."


def test_a_refused_call_says_it_once(model: TranscriptModel) -> None:
    log = Log()
    log.decided("c1", verdict=Verdict.DENY, rule="path", reason="'/etc' is outside this lane.")
    log.add(ToolCallFinished(call_id="c1", outcome="refused", content="refused", is_error=True))
    model.hearing.take([log.opened()])
    assert decision_sentence(call_of(model)) == ""
    assert call_of(model).reason == "'/etc' is outside this lane."


def test_a_call_that_a_hook_asked_about_says_so_and_how_long_it_took() -> None:
    call = Call("c1", "Write", answer="You allowed this once", rule="hook", why='The hook "friday" asks: no (41 ms).')
    assert decision_sentence(call) == 'You allowed this once. The hook "friday" asks: no (41 ms).'
    both = replace(call, rule="mode", why='Edit asks. The hook "friday" asks (41 ms).')
    assert decision_sentence(both) == 'You allowed this once. The hook "friday" asks (41 ms).'


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("sandbox", "It cannot be built. · rule: the sandbox"),
        ("other", "It cannot be built. · rule: other"),
        ("rule", "It cannot be built."),
        ("", "It cannot be built."),
    ],
)
def test_a_refusal_says_which_rule_refused_where_its_sentence_does_not_name_one(rule: str, sentence: str) -> None:
    assert refused_sentence(Call("c1", "x", state="refused", reason="It cannot be built.", rule=rule)) == sentence


@pytest.mark.parametrize(
    ("rule", "reason", "sentence"),
    [
        (
            "sandbox",
            "Not run: Git's own files are read-only for commands in the sandbox. Use commit_changes.",
            "Not run: Git's own files are read-only for commands in the sandbox. · rule: the sandbox",
        ),
        (
            "offered",
            "write_file is not available in plan mode. Present the plan with exit_plan_mode.",
            "This step is not available in plan mode. · rule: tools of this chat",
        ),
        ("mode", "Not run: it writes to commit.txt.", "Not run: it writes to commit.txt. · rule: the chat's mode"),
    ],
)
def test_a_refusal_names_no_tool_to_people(rule: str, reason: str, sentence: str) -> None:
    assert refused_sentence(Call("c1", "x", state="refused", reason=reason, rule=rule)) == sentence
