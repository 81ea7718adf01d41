"""ask_user, exit_plan_mode, todos and the title."""

from dataclasses import replace

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.events import ModeChanged, TitleChanged, TodosChanged
from desktop.domain.gate.pending import SECRET_GIVEN, Answer
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


async def test_a_single_question_is_asked_and_answered(bench) -> None:
    bench.answers = [Answer(outcome="answered", choices={"q1": ("blue",)})]
    result = await bench.call("ask_user", question="Which colour?")
    assert result.text == "**Which colour?**\nblue"
    assert result.data["answers"] == {"q1": ["blue"]}
    (request,) = bench.asked
    assert (request.kind, request.call_id, request.questions[0].text) == ("question", "toolu_1", "Which colour?")


async def test_several_questions_keep_their_answers_apart(bench) -> None:
    bench.answers = [Answer(outcome="answered", choices={"db": ("pg", "lite")}, note="Keep it small.")]
    questions = [
        {"id": "db", "question": "Where?", "multi_select": True,
         "options": [{"label": "Postgres (Recommended)", "value": "pg"}, {"label": "SQLite", "value": "lite"}]},
        {"question": "Why?", "required": False},
    ]  # fmt: skip
    result = await bench.call("ask_user", questions=questions)
    assert result.text == "**Where?**\npg, lite\n**Why?**\n(no answer)\nThe person adds: Keep it small."
    assert result.data["answers"] == {"db": ["pg", "lite"], "q2": []}
    option = bench.asked[0].questions[0].options[0]
    assert (option.label, option.recommended) == ("Postgres", True)


async def test_a_secret_answer_is_in_no_text(bench) -> None:
    bench.answers = [Answer(outcome="answered", choices={"q1": ("hunter2",)})]
    result = await bench.call("ask_user", questions=[{"question": "Password?", "is_secret": True}])
    assert "hunter2" not in result.model_dump_json()
    assert SECRET_GIVEN in result.text


async def test_numbered_lines_of_the_body_become_options(bench) -> None:
    bench.answers = [Answer(outcome="answered", choices={"q1": ("Tabs",)})]
    await bench.call("ask_user", title="Indentation", body="Choose:\n1. Tabs\n2) Spaces")
    assert [option.label for option in bench.asked[0].questions[0].options] == ["Tabs", "Spaces"]


async def test_a_declined_question_is_no_error(bench) -> None:
    bench.answers = [Answer(outcome="reject")]
    result = await bench.call("ask_user", question="Really?")
    assert result.text == "The person declined to answer. Decide yourself or ask in the chat."
    assert not result.is_error


async def test_nobody_to_ask_is_an_error_and_asks_nothing(bench) -> None:
    bench.context = replace(bench.context, can_ask=False)
    with pytest.raises(ToolError, match=r"Nobody can answer here\. State your assumption and go on\."):
        await bench.call("ask_user", question="Anyone?")
    assert bench.asked == []


@pytest.mark.promise("tools-T96")
async def test_the_seventh_question_within_a_minute_is_refused(bench) -> None:
    bench.answers = [Answer(outcome="reject")] * 6
    for _ in range(6):
        await bench.call("ask_user", question="Again?")
    with pytest.raises(ToolError, match="Six questions were asked within a minute"):
        await bench.call("ask_user", question="Again?")


@pytest.mark.promise("gate-G11")
async def test_an_approved_plan_never_leads_back_to_full_auto(bench) -> None:
    bench.with_session(mode=PermissionMode.PLAN, previous_mode=PermissionMode.FULL_AUTO)
    bench.answers = [Answer(outcome="allow_once")]
    result = await bench.call("exit_plan_mode", plan="1. Do it")
    assert result.text == "Plan approved. Mode: edit."
    assert result.follow == (ModeChanged(mode=PermissionMode.EDIT, previous=PermissionMode.PLAN, by="plan_approval"),)
    assert bench.asked[0].mode_after is PermissionMode.EDIT


async def test_an_edited_plan_goes_back_and_another_mode_holds(bench) -> None:
    bench.with_session(mode=PermissionMode.PLAN)
    bench.answers = [Answer(outcome="allow_once", edited_plan="1. Do less", mode=PermissionMode.EDIT)]
    result = await bench.call("ExitPlanMode", planDescription="1. Do it all")
    assert result.text.startswith("Plan approved. Mode: edit.")
    assert result.text.endswith("1. Do less")


@pytest.mark.parametrize("outcome", ["reject", "cancelled"])
async def test_a_plan_that_is_not_approved_changes_no_mode(bench, outcome: str) -> None:
    bench.with_session(mode=PermissionMode.PLAN)
    bench.answers = [Answer(outcome=outcome, note="Too much")]
    result = await bench.call("exit_plan_mode", plan="x")
    assert result.text == "Not approved: Too much. Stay in plan mode and revise."
    assert result.follow == ()


async def test_outside_plan_mode_no_card_is_shown(bench) -> None:
    with pytest.raises(ToolError, match=r"Already out of plan mode\."):
        await bench.call("exit_plan_mode", plan="x")
    assert bench.asked == []


async def test_todos_are_replaced_and_told(bench) -> None:
    items = [
        {"content": "one", "status": "completed"},
        {"activeForm": "two", "status": "inProgress"},
        {},
        {"text": "three", "status": "someday"},
    ]
    result = await bench.call("todo_write", todos=items)
    assert result.text == "3 todos: 1 done, 1 in progress, 1 open.\n2. [in progress] two\n3. [open] three"
    (change,) = result.follow
    assert isinstance(change, TodosChanged)
    assert change.todos == (
        Todo(id="todo-1", content="one", status="completed"),
        Todo(id="todo-2", content="two", status="in_progress"),
        Todo(id="todo-4", content="three"),
    )


async def test_items_are_merged_by_id_and_an_unknown_one_needs_text(bench) -> None:
    bench.with_session(todos=(Todo(id="a", content="one"), Todo(id="b", content="two", status="in_progress")))
    items = [{"id": "a", "status": "completed"}, {"id": "b", "content": "zwei"}, {"content": "new"}]
    result = await bench.call("todo_write", merge=True, todos=items)
    assert [(todo.content, todo.status) for todo in result.follow[0].todos] == [
        ("one", "completed"), ("zwei", "in_progress"), ("new", "pending"),
    ]  # fmt: skip
    with pytest.raises(ToolError, match='no todo "z"'):
        await bench.call("todo_write", merge=True, todos=[{"id": "z", "status": "completed"}])


async def test_todo_read_shows_the_list_or_that_there_is_none(bench) -> None:
    assert (await bench.call("todo_read")).text == "No todos."
    bench.with_session(todos=(Todo(id="a", content="one"),))
    assert (await bench.call("todo_read")).text == "1. [open] one"


async def test_the_title_is_set_unless_a_person_named_the_chat(bench, registry) -> None:
    result = await bench.call("set_chat_summary", summary="  Fix the cart ")
    assert result.follow == (TitleChanged(title="Fix the cart", by="auto"),)
    bench.with_session(titled_by_person=True)
    kept = await bench.call("set_chat_summary", summary="Other")
    assert kept.text == "The person named this chat; kept."
    assert kept.follow == ()
    assert registry.resolve("set_chat_summary").ends_turn
