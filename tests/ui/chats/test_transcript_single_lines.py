"""A call whose effect has a row of its own is not told twice."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.core.work import Activity, Todo
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    TitleChanged,
    TodosChanged,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.gate.pending import Answer, Option, PlanReview, Question, QuestionRequest
from desktop.domain.updates import ActivityChanged, SessionOpened
from desktop.ui.chats.folds.model import TranscriptModel
from tests.ui.transcript_log import SESSION, START, Log

FIND, FIX = Todo(id="1", content="Find", status="completed"), Todo(id="2", content="Fix")


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    model.hearing.take([ActivityChanged(session_id=SESSION, activity=Activity.RUNNING, since=START)])
    return model


def kinds(model: TranscriptModel) -> list[str]:
    return [row.kind for row in model.rows]


def calls(model: TranscriptModel) -> list[list[str]]:
    return [[call.call_id for call in row.calls] for row in model.rows if row.kind == "calls"]


def begun(log: Log, call_id: str, title: str) -> None:
    log.decided(call_id, title)
    log.add(ToolCallStarted(call_id=call_id, tool="t"))


def listed(log: Log, call_id: str, *todos: Todo) -> None:
    """A call that sets the todo list, as the engine writes it."""
    begun(log, call_id, "Update the todo list")
    log.add(TodosChanged(todos=todos, call_id=call_id))
    log.add(ToolCallFinished(call_id=call_id, outcome="ok", summary="2 todos"))


def asked(log: Log) -> None:
    """A call that waits for the answer to a question."""
    begun(log, "ask", "Ask: Which dialect?")
    question = Question(id="q", text="Which dialect?", options=(Option(label="Postgres", value="pg"),))
    request = QuestionRequest(call_id="ask", title="Dialect", questions=(question,))
    log.add(InputRequested(input_id="i1", call_id="ask", request=request))


def test_todos_stand_at_their_newest_place_and_their_calls_nowhere(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    listed(log, "w1", FIND, FIX)
    model.hearing.take([log.opened()])
    key = model.rows[0].key
    assert kinds(model) == ["todos"]
    cut = len(log.envelopes)
    log.call("a")
    listed(log, "w2", FIND, FIX.model_copy(update={"status": "completed"}))
    log.call("b")
    model.hearing.take(log.envelopes[cut:])
    assert kinds(model) == ["calls", "todos", "calls"]
    assert (model.rows[1].key, model.rows[1].text) == (key, "Todos 2 of 2")
    assert model.index_of(key) == 1


def test_calls_on_both_sides_of_a_former_list_become_one_group(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.call("a")
    listed(log, "w1", FIND)
    log.call("b")
    listed(log, "w2", FIND, FIX)
    model.hearing.take([log.opened()])
    assert kinds(model) == ["calls", "todos"]
    assert calls(model) == [["a", "b"]]
    model.hearing.take([log.add(ToolCallFinished(call_id="b", outcome="error", content="no"))])
    assert model.rows[0].calls[1].state == "error"


def test_a_todo_call_that_failed_keeps_its_line(model: TranscriptModel) -> None:
    log = Log()
    log.call("w", "Update the todo list", outcome="error", content="A list has at most 50 items.")
    model.hearing.take([log.opened()])
    assert kinds(model) == ["calls"]


def test_another_turn_has_a_todos_row_of_its_own(model: TranscriptModel) -> None:
    log = Log()
    for turn in ("t1", "t2"):
        log.add(TurnStarted(turn_id=turn))
        listed(log, f"w{turn}", FIND)
        log.add(TurnEnded(turn_id=turn, status="completed"))
    model.hearing.take([log.opened()])
    assert kinds(model) == ["todos", "recap", "todos", "recap"]


def test_slices_of_one_turn_show_its_list_once(model: TranscriptModel, qtbot: QtBot) -> None:
    log = Log()
    for turn in ("t1", "t2"):
        log.add(TurnStarted(turn_id=turn))
        listed(log, f"{turn}a", FIND)
        log.call(f"{turn}b")
        listed(log, f"{turn}c", FIND, FIX)
    cut = len(log.envelopes) - 2
    older, newest = tuple(log.envelopes[:cut]), tuple(log.envelopes[cut:])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False)])
    qtbot.waitUntil(lambda: model.complete, timeout=25_000)
    assert kinds(model) == ["calls", "todos", "calls", "todos"]
    assert [row.text for row in model.rows if row.kind == "todos"] == ["Todos 1 of 2"] * 2


def test_a_question_is_one_line_once_it_is_answered(model: TranscriptModel) -> None:
    log = Log()
    asked(log)
    model.hearing.take([log.opened()])
    assert [(row.kind, row.calls[0].state, row.calls[0].asks) for row in model.rows] == [
        ("calls", "waiting", "question")
    ]
    cut = len(log.envelopes)
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="answered", choices={"q": ("pg",)})))
    log.add(ToolCallFinished(call_id="ask", outcome="ok", summary="Postgres"))
    model.hearing.take(log.envelopes[cut:])
    assert kinds(model) == ["resolved"]
    assert model.rows[0].text.startswith("You answered: Dialect")
    assert model.rows[0].icon == "message-circle-question-mark"
    assert model.rows[0].lines == ("Which dialect? → Postgres",)


def test_a_question_whose_answer_is_in_a_newer_slice_is_one_line(model: TranscriptModel) -> None:
    log = Log()
    asked(log)
    cut = len(log.envelopes)
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="answered", choices={"q": ("pg",)})))
    log.add(ToolCallFinished(call_id="ask", outcome="ok", summary="Postgres"))
    older, newest = tuple(log.envelopes[:cut]), tuple(log.envelopes[cut:])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False)])
    assert kinds(model) == ["resolved"]


def test_a_plan_stands_for_the_call_that_presented_it(model: TranscriptModel) -> None:
    log = Log()
    begun(log, "p", "Present the plan")
    log.add(InputRequested(input_id="i1", call_id="p", request=PlanReview(call_id="p", plan="# Fix it\n1. a")))
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="allow_once")))
    log.add(ToolCallFinished(call_id="p", outcome="ok", summary="approved · edit"))
    model.hearing.take([log.opened()])
    assert kinds(model) == ["plan", "resolved"]
    assert sum("Fix it" in row.text for row in model.rows) == 1


def test_naming_the_chat_is_one_quiet_line(model: TranscriptModel) -> None:
    log = Log()
    log.add(TitleChanged(title="first words"))
    log.call("a")
    begun(log, "n", "Name this chat “Login loop”")
    log.add(TitleChanged(title="Login loop"))
    log.add(ToolCallFinished(call_id="n", outcome="ok", summary="named"))
    model.hearing.take([log.opened()])
    assert calls(model) == [["a"]]
    assert [(row.kind, row.text) for row in model.rows if row.kind != "calls"] == [
        ("notice", "Chat named “Login loop”")
    ]
