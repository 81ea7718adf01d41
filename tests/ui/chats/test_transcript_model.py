"""Which rows a chat has, and how they change."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.context.events import Compacted, Rewound
from desktop.domain.core.content import Card, CodeBlock, DiffBlock, TouchedFile
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.core.work import Activity, Todo
from desktop.domain.event_json import load_event
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    Notice,
    ProviderFailed,
    SessionResumed,
    TitleChanged,
    TodosChanged,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest, Option, PlanReview, Question, QuestionRequest
from desktop.domain.updates import (
    ActivityChanged,
    RetryScheduled,
    SessionOpened,
    StreamDiscarded,
    ToolProgress,
)
from desktop.ui.chats.folds.model import KEY_ROLE, TranscriptModel
from desktop.ui.chats.folds.row_words import group_title
from desktop.ui.chats.folds.rows import Call, Row, default_expanded, plain_text
from tests.ui.transcript_log import SESSION, START, Log, text_part, tool_use


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    return model


def approval(title: str, call_id: str = "c1") -> ApprovalRequest:
    return ApprovalRequest(
        call_id=call_id, card=Card(title=title), category=Category.BASH, reason="r", rule="x",
        mode=PermissionMode.EDIT, digest="d",
    )  # fmt: skip


def kinds(model: TranscriptModel) -> list[str]:
    return [row.kind for row in model.rows]


def shown(model: TranscriptModel, log: Log) -> TranscriptModel:
    model.hearing.take([log.opened()])
    return model


# streaming


def test_fifty_deltas_and_an_equal_final_message_are_one_row_with_the_text_once(model: TranscriptModel) -> None:
    log = Log()
    log.user("go")
    model.hearing.take([log.opened()])
    for number in range(50):
        model.hearing.take([log.delta(f"word{number} ")])
    key = model.rows[-1].key
    text = "".join(f"word{number} " for number in range(50))
    model.hearing.take([log.says(text)])
    assert kinds(model) == ["user", "assistant"]
    assert (model.rows[-1].key, model.rows[-1].text, model.rows[-1].live) == (key, text, False)
    assert model.index_of("row:1") == 1


def test_a_longer_final_message_adds_its_tail_and_a_different_one_wins(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("The cookie"), log.says("The cookie stays.")])
    assert [row.text for row in model.rows] == ["The cookie stays."]
    model.hearing.take([log.delta("Wrong", "msg_2"), log.says("Right.", "msg_2")])
    assert [row.text for row in model.rows] == ["The cookie stays.", "Right."]


def test_a_hidden_event_between_two_texts_does_not_split_the_row(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("One "), log.add(TitleChanged(title="t")), log.delta("two")])
    assert [row.text for row in model.rows] == ["One two"]


def test_a_call_between_two_texts_stands_between_their_rows(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("Before", part=0), log.delta("After", part=2)])
    final = log.answer(text_part("Before"), tool_use("c1"), text_part("After"))
    model.hearing.take([final, *log.call("c1")])
    assert kinds(model) == ["assistant", "calls", "assistant"]
    assert [row.text for row in model.rows if row.kind == "assistant"] == ["Before", "After"]


def test_blank_text_makes_no_row(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("  \n"), log.says(" \n ")])
    assert kinds(model) == []


def test_a_delta_that_was_seen_already_is_dropped(model: TranscriptModel) -> None:
    log = Log()
    delta = log.delta("once")
    model.hearing.take([delta, delta])
    assert model.rows[0].text == "once"


def test_discarded_text_goes(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("half an ans"), StreamDiscarded(session_id=SESSION, message_id="msg_1")])
    assert kinds(model) == []


def test_thinking_is_a_row_of_its_own_and_says_how_long_it_took(qapp: QApplication) -> None:
    now = [START]
    model = TranscriptModel(clock=lambda: now[0])
    model.open(SESSION)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    log = Log()
    model.hearing.take([log.thought("Hmm")])
    now[0] += timedelta(seconds=6)
    model.hearing.take([log.delta("Yes.", part=1)])
    model.hearing.take([log.answer({"type": "thinking", "thinking": "Hmm"}, text_part("Yes."))])
    assert [(row.kind, row.text, row.detail) for row in model.rows] == [
        ("thinking", "Hmm", "6.0 s"), ("assistant", "Yes.", ""),
    ]  # fmt: skip


def test_a_batch_tells_views_of_a_changed_row_once(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.delta("a")])
    changed: list[int] = []
    model.dataChanged.connect(lambda first, last: changed.append(first.row()))
    model.hearing.take([log.delta("b"), log.delta("c"), log.delta("d")])
    assert changed == [0]


def test_events_of_another_chat_change_nothing(model: TranscriptModel) -> None:
    other = Log("ses_2")
    model.hearing.take([other.user("hi"), other.delta("x"), other.opened()])
    assert kinds(model) == []


def test_switching_while_both_chats_stream_loses_and_doubles_nothing(model: TranscriptModel) -> None:
    log = Log()
    log.user("go")
    model.hearing.take([log.opened(), log.delta("half")])
    model.open("ses_2")
    model.open(SESSION)
    final = log.says("half and whole")
    model.hearing.take([log.opened(), final])
    assert [row.text for row in model.rows] == ["go", "half and whole"]


# calls


def test_three_calls_in_six_events_are_one_group_of_three(model: TranscriptModel) -> None:
    log = Log()
    for name in ("c1", "c2", "c3"):
        log.decided(name)
    for name in ("c1", "c2", "c3"):
        log.add(ToolCallFinished(call_id=name, outcome="ok"))
    shown(model, log)
    assert kinds(model) == ["calls"]
    assert [call.call_id for call in model.rows[0].calls] == ["c1", "c2", "c3"]


def test_one_call_is_not_a_group_and_text_ends_a_group(model: TranscriptModel) -> None:
    log = Log()
    log.call("c1")
    log.says("text")
    log.call("c2")
    log.call("c3")
    shown(model, log)
    assert kinds(model) == ["calls", "assistant", "calls"]
    assert [row.is_group for row in model.rows] == [False, False, True]


def test_parallel_calls_keep_the_order_of_the_answer(model: TranscriptModel) -> None:
    log = Log()
    log.answer(tool_use("c1"), tool_use("c2"))
    log.decided("c2")
    log.decided("c1")
    shown(model, log)
    assert [call.call_id for call in model.rows[0].calls] == ["c1", "c2"]


def test_thinking_between_calls_joins_their_group(model: TranscriptModel) -> None:
    log = Log()
    log.call("c1")
    log.answer({"type": "thinking", "thinking": "next"}, tool_use("c2"))
    log.call("c2")
    shown(model, log)
    assert [call.state for call in model.rows[0].calls] == ["ok", "thought", "ok"]
    assert group_title(model.rows[0]).startswith("Read 2 files")


def test_a_finished_group_counts_steps_files_time_and_failures(model: TranscriptModel) -> None:
    log = Log()
    touched = (TouchedFile(path="a.py", kind="modify", added=6, removed=2),)
    log.call("c1", touched=touched, duration_ms=3_000)
    log.call("c2", outcome="error", duration_ms=100)
    shown(model, log)
    assert group_title(model.rows[0]) == "Read 2 files · 3.1 s · 1 failed"


def test_a_running_group_names_its_newest_step(model: TranscriptModel) -> None:
    log = Log()
    log.call("c1")
    log.decided("c2", "pytest -q")
    shown(model, log)
    assert group_title(model.rows[0]) == "pytest -q · call 2"


@pytest.mark.parametrize(
    ("calls", "title"),
    [
        (["read Read a.py", "read Read b.py", "read Read a.py", "bash pytest -q"], "Read 2 files, ran 1 test"),
        (["read Search “x”", "read List src", "bash ls", "bash cd web && npm test 2>&1 | tail"],
         "Searched 1 time, listed 1 folder, ran 1 test, ran 1 command"),
        (["write Edit a.py", "write Edit a.py", "bash git log"], "Changed 1 file, ran 1 command"),
        (["read Git log", "read Todo"], "2 calls"),
        (["read Git log", "read Read a"], "Read 1 file, made 1 other call"),
        (["bash latest", "bash contest run"], "Ran 2 commands"),
    ],
)  # fmt: skip
def test_a_finished_group_says_what_was_done(calls: list[str], title: str) -> None:
    made = [Call(str(at), text.partition(" ")[2], text.split(" ")[0], "ok") for at, text in enumerate(calls)]
    assert group_title(Row("k", "calls", 1, calls=tuple(made))) == title


def test_a_group_of_sql_and_of_failures_says_so() -> None:
    sql = (CodeBlock(language="sql", text="SELECT 1"),)
    calls = [Call("1", "Run SQL", "read", "ok", evidence=sql), Call("2", "Edit a.py", "write", "error")]
    assert group_title(Row("k", "calls", 1, calls=tuple(calls))) == "Ran 1 SQL statement, made 1 other call · 1 failed"
    refused = [Call("1", "Write x", "write", "refused"), Call("2", "Read y", "read", "declined")]
    assert group_title(Row("k", "calls", 1, calls=tuple(refused))) == "2 calls · 1 refused · 1 declined"


def test_a_failed_call_opens_itself_and_its_group(model: TranscriptModel) -> None:
    log = Log()
    for number in range(6):
        log.call(f"c{number}")
    shown(model, log)
    assert not default_expanded(model.rows[0], "row")
    model.hearing.take(log.call("c9", outcome="error"))
    assert default_expanded(model.rows[0], "row")
    assert default_expanded(model.rows[0], "c9")
    assert not default_expanded(model.rows[0], "c1")


def test_a_denied_call_is_refused_with_its_reason_and_rule(model: TranscriptModel) -> None:
    log = Log()
    log.decided("c1", verdict=Verdict.DENY, reason="The path is outside the lane.", rule="outside_lane")
    log.add(ToolCallFinished(call_id="c1", outcome="refused", content="refused", is_error=True))
    shown(model, log)
    call = model.rows[0].calls[0]
    assert (call.state, call.reason, call.rule) == ("refused", "The path is outside the lane.", "outside_lane")


def test_progress_shows_the_newest_output_until_the_call_ends(model: TranscriptModel) -> None:
    log = Log()
    log.decided("c1")
    shown(model, log)
    model.hearing.take([ToolProgress(session_id=SESSION, call_id="c1", tail="line 7", output_bytes=9, elapsed_ms=20)])
    assert (model.rows[0].calls[0].state, model.rows[0].calls[0].tail) == ("running", "line 7")
    model.hearing.take([log.add(ToolCallFinished(call_id="c1", outcome="ok"))])
    assert (model.rows[0].calls[0].state, model.rows[0].calls[0].tail) == ("ok", "")


def test_no_row_stays_running_when_the_turn_ends(model: TranscriptModel) -> None:
    log = Log()
    model.hearing.take([log.add(TurnStarted(turn_id="t")), log.delta("half"), log.decided("c1")])
    model.hearing.take([log.add(TurnEnded(turn_id="t", status="interrupted", duration_ms=900))])
    assert not any(row.live or row.running for row in model.rows)
    assert model.rows[1].calls[0].state == "interrupted"


# inputs


def test_an_approval_leaves_one_line_that_ends_the_group(model: TranscriptModel) -> None:
    log = Log()
    log.decided("c1", verdict=Verdict.ASK)
    log.add(InputRequested(input_id="i1", call_id="c1", request=approval("python3 -m unittest -q")))
    shown(model, log)
    assert model.rows[0].calls[0].state == "waiting"
    model.hearing.take([log.add(InputResolved(input_id="i1", answer=Answer(outcome="allow_once")))])
    model.hearing.take(log.call("c2"))
    assert kinds(model) == ["calls", "resolved", "calls"]
    clock = f"{log.envelopes[2].at.astimezone():%H:%M}"
    assert model.rows[1].text == f"You allowed this once: python3 -m unittest -q · {clock}"


def test_a_declined_request_shows_its_reason(model: TranscriptModel) -> None:
    log = Log()
    log.add(InputRequested(input_id="i1", call_id="c1", request=approval("pip install x")))
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="reject", note="use uv")))
    shown(model, log)
    assert model.rows[0].text.startswith("You declined this: pip install x")
    assert model.rows[0].lines == ("Reason: use uv",)


def test_answered_questions_are_listed_by_their_labels(model: TranscriptModel) -> None:
    log = Log()
    question = Question(id="q", text="Which dialect?", options=(Option(label="Postgres", value="pg"),))
    request = QuestionRequest(call_id="c1", title="Dialect", questions=(question,))
    log.add(InputRequested(input_id="i1", call_id="c1", request=request))
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="answered", choices={"q": ("pg",)})))
    shown(model, log)
    assert model.rows[0].text.startswith("You answered: Dialect")
    assert model.rows[0].lines == ("Which dialect? → Postgres",)


@pytest.mark.parametrize("during", [True, False])
def test_a_call_that_does_more_than_ask_keeps_its_row(model: TranscriptModel, during: bool) -> None:
    log = Log()
    question = Question(id="q", text="Which branch?")
    log.decided("c1", "files › move")
    request = QuestionRequest(call_id="c1", title="The server files asks", questions=(question,), during=during)
    log.add(InputRequested(input_id="i1", call_id="c1", request=request))
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="answered", choices={"q": ("main",)})))
    shown(model, log)
    assert [row.kind for row in model.rows] == [*(["calls"] if during else []), "resolved"]


def test_a_plan_says_what_became_of_it(model: TranscriptModel) -> None:
    log = Log()
    log.add(InputRequested(input_id="i1", call_id="c1", request=PlanReview(call_id="c1", plan="# Fix it\n1. a")))
    shown(model, log)
    assert (model.rows[0].kind, model.rows[0].detail) == ("plan", "waiting for you")
    model.hearing.take([log.add(InputResolved(input_id="i1", answer=Answer(outcome="allow_once")))])
    assert model.rows[0].detail == "approved"
    assert model.rows[1].text.startswith("You approved the plan · ")


def test_a_request_withdrawn_by_a_mode_says_so(model: TranscriptModel) -> None:
    log = Log()
    log.add(InputRequested(input_id="i1", call_id="c1", request=approval("rm x")))
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="cancelled"), reason="mode"))
    shown(model, log)
    assert model.rows[0].text.startswith("Withdrawn because the mode changed: rm x")


# turns


def test_a_turn_ends_with_its_figures(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    touched = (TouchedFile(path="a.py", kind="modify", added=14, removed=4),)
    log.call("c1", touched=touched, blocks=(DiffBlock(path="a.py", unified="", added=14, removed=4),))
    usage = Usage(input=17_000, output=1_200)
    log.add(
        TurnEnded(turn_id="t", status="completed", steps=12, usage=usage, cost_microusd=210_000, duration_ms=134_000)
    )
    shown(model, log)
    assert model.rows[-1].text == "Worked 2 min 14 s · 12 steps · 1 file +14 −4 · 18.2k tokens · $0.21"


def test_the_time_for_which_a_person_was_waited_for_is_told_apart_from_work(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.add(TurnEnded(turn_id="t", status="completed", steps=2, duration_ms=397_000, waited_ms=240_000))
    shown(model, log)
    assert model.rows[-1].text == "Worked 2 min 37 s · waited 4 min for you · 2 steps"


@pytest.mark.parametrize(
    ("differing", "edited", "told"),
    [
        (None, ("a.py",), "1 file +14 −4"),
        (1, ("a.py",), "1 file +14 −4"),
        (0, ("a.py",), "1 file +14 −4"),
        (3, ("a.py",), "3 files (1 edited +14 −4)"),
        (1, (), "1 file"),
        (0, (), ""),
        (None, (), ""),
    ],
)
def test_a_recap_counts_what_commands_changed_too(
    model: TranscriptModel, differing: int | None, edited: tuple[str, ...], told: str
) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    for number, path in enumerate(edited):
        log.call(f"c{number}", touched=(TouchedFile(path=path, kind="modify", added=14, removed=4),))
    log.add(TurnEnded(turn_id="t", status="completed", duration_ms=900, files_changed=differing))
    shown(model, log)
    assert model.rows[-1].text == " · ".join(part for part in ("Worked 900 ms", told) if part)


@pytest.mark.parametrize(
    ("usage", "cost", "part"),
    [(Usage(input=5), None, "cost unknown"), (Usage(input=5), 4_200, "$0.0042"), (Usage(), None, "")],
)
def test_a_cost_is_unknown_small_or_not_there(
    model: TranscriptModel, usage: Usage, cost: int | None, part: str
) -> None:
    log = Log()
    log.add(TurnEnded(turn_id="t", status="completed", usage=usage, cost_microusd=cost, duration_ms=900))
    shown(model, log)
    assert model.rows[-1].text == " · ".join(p for p in ("Worked 900 ms", "5 tokens" if part else "", part) if p)


@pytest.mark.promise("guests-A49")
def test_what_an_agent_of_others_claims_is_said_to_be_its_claim(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnEnded(turn_id="t", status="completed", duration_ms=900, claimed_tokens=12_300))
    shown(model, log)
    assert model.rows[-1].text == "Worked 900 ms · 12.3k tokens claimed by the agent"


def test_a_failed_turn_offers_to_continue_until_the_next_one_begins(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.add(TurnEnded(turn_id="t", status="failed", reason="the service answered 529", duration_ms=900))
    shown(model, log)
    assert model.rows[0].text == ("The turn stopped: the service answered 529. Nothing after the last step was run.")
    assert [name for name, _ in model.rows[0].actions] == ["continue", "copy_details"]
    model.hearing.take([log.add(TurnStarted(turn_id="t2"))])
    assert model.rows[0].actions == ()


def test_a_turn_that_never_ended_is_named_when_the_chat_opens(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.decided("c1")
    shown(model, log)
    assert model.rows[-1].text == "Banksman closed while this turn was running."
    assert model.rows[-1].actions == (("continue", "Continue"),)
    assert model.rows[0].calls[0].state == "interrupted"
    model.hearing.take([log.add(SessionResumed(unfinished_turn_id="t"))])
    assert kinds(model) == ["calls"]


def test_a_turn_that_still_runs_is_not_called_interrupted(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    model.hearing.take([ActivityChanged(session_id=SESSION, activity=Activity.RUNNING, detail="pytest", since=START)])
    shown(model, log)
    assert kinds(model) == []
    assert model.live_line == "Running pytest"


def test_the_live_line_says_what_waits(model: TranscriptModel) -> None:
    waits = ActivityChanged(session_id=SESSION, activity=Activity.WAITING_INPUT, detail="run SQL", since=START)
    model.hearing.take([waits])
    assert model.live_line == "Waiting for you: run SQL"
    model.hearing.take([ActivityChanged(session_id=SESSION, activity=Activity.IDLE, since=START)])
    assert model.live_line == ""


def test_a_retry_counts_down_and_is_settled_by_new_text(model: TranscriptModel) -> None:
    log = Log()
    retry = RetryScheduled(
        session_id=SESSION, reason="The model is overloaded", attempt=2, max_attempts=5,
        retry_at=START + timedelta(seconds=8),
    )  # fmt: skip
    failed = ProviderFailed(attempt=1, max_attempts=5, category="overloaded", message="Overloaded", will_retry=True)
    tries = ActivityChanged(
        session_id=SESSION, activity=Activity.RETRYING, detail="The model is overloaded.", since=START
    )
    model.hearing.take([log.add(failed), tries, retry])
    assert [row.text for row in model.rows] == ["The model is overloaded. Trying again in 8 s (2 of 5)."]
    assert (model.running, model.live_line) == (True, "")
    assert model.rows[0].actions == (("retry_now", "Retry now"), ("retry_stop", "Stop trying"))
    asks = ActivityChanged(session_id=SESSION, activity=Activity.REQUESTING, since=START)
    model.hearing.take([asks, log.delta("Hello")])
    assert (model.rows[0].live, model.rows[0].actions) == (False, ())
    assert model.live_line == "Thinking"


# other rows


def test_todos_have_one_row_a_turn_with_the_latest_list(model: TranscriptModel) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    first, second = Todo(id="1", content="Find"), Todo(id="2", content="Fix", status="in_progress")
    log.add(TodosChanged(todos=(first, second)))
    log.call("c1")
    log.add(TodosChanged(todos=(first.model_copy(update={"status": "completed"}), second)))
    log.add(TurnEnded(turn_id="t", status="completed"))
    shown(model, log)
    assert kinds(model) == ["calls", "todos", "recap"]
    assert (model.rows[1].text, model.rows[1].detail) == ("Todos 1 of 2", "Fix")
    assert plain_text(model.rows[1]).endswith("[x] Find\n[~] Fix")


def test_an_unknown_event_is_one_muted_row_and_the_rest_is_shown(model: TranscriptModel) -> None:
    log = Log()
    log.user("hi")
    log.add(load_event('{"type":"hologram","x":1}'))
    log.says("hello")
    shown(model, log)
    assert kinds(model) == ["user", "unknown", "assistant"]
    assert model.rows[1].text == "Unknown entry (type hologram)"


def test_rows_of_different_days_have_a_date_between_them(model: TranscriptModel) -> None:
    log = Log()
    log.user("one")
    log.add(UserMessage(parts=(text_part("two"),)), after=timedelta(days=2))
    shown(model, log)
    assert kinds(model) == ["user", "date", "user"]


def test_a_message_from_an_agent_is_never_you(model: TranscriptModel) -> None:
    log = Log()
    log.add(UserMessage(parts=(text_part("do it"),), origin="agent", sender_session_id="Docs"))
    shown(model, log)
    assert (model.rows[0].kind, model.rows[0].author) == ("agent_message", "From Docs (agent)")


@pytest.mark.promise("sessions-SE12")
def test_a_note_to_the_model_is_a_quiet_row_without_its_frame(model: TranscriptModel) -> None:
    log = Log()
    note = '<banksman-note kind="post_turn">Work after the &lt;turn&gt; ended.</banksman-note>'
    log.add(UserMessage(parts=(text_part(note),), origin="note", note_kind="post_turn"))
    shown(model, log)
    assert (model.rows[0].kind, model.rows[0].text) == ("notice", "Work after the <turn&gt; ended.")


def test_a_message_with_files_shows_what_was_typed_and_the_files(model: TranscriptModel) -> None:
    log = Log()
    listed = "Attached files, to be read with read_file:\nattachments:a.png (image/png, 13 KB)"
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    log.add(UserMessage(parts=(text_part("Look"), text_part(listed), picture), attachments=("a.png",)))
    log.add(UserMessage(parts=(text_part(listed), picture), attachments=("a.png",)))
    shown(model, log)
    assert [(row.author, row.text, [file.name for file in row.files]) for row in model.rows] == [
        ("You", "Look", ["a.png"]), ("You", "", ["a.png"]),
    ]  # fmt: skip


def test_compaction_is_a_divider_with_figures(model: TranscriptModel) -> None:
    log = Log()
    log.add(Compacted(summary="s", tokens_before=142_000, tokens_after=18_000))
    shown(model, log)
    assert model.rows[0].text == "Earlier messages were summarised · 142k → 18k tokens"


def test_a_rewind_puts_the_later_rows_behind_one_row(model: TranscriptModel) -> None:
    log = Log()
    first = log.user("one")
    log.says("answer")
    shown(model, log)
    model.hearing.take([log.add(Rewound(to_event_id=first.event_id)), log.user("two")])
    assert [row.text for row in model.rows] == ["one", "1 rewound message", "two"]


def test_the_head_is_shown_once_for_a_turn_and_minute(model: TranscriptModel) -> None:
    log = Log()
    log.user("go")
    log.says("a", "m1")
    log.call("c1")
    log.says("b", "m2")
    log.add(Notice(kind="k", text="n"), after=timedelta(minutes=2))
    log.says("c", "m3")
    shown(model, log)
    assert [row.head for row in model.rows if row.kind == "assistant"] == [True, False, True]


# older slices


def test_older_slices_come_in_front_and_close_what_they_began(model: TranscriptModel, qtbot: QtBot) -> None:
    log = Log()
    log.user("first")
    log.decided("c1")
    log.add(InputRequested(input_id="i1", call_id="c1", request=approval("ls")))
    cut = len(log.envelopes)
    log.add(InputResolved(input_id="i1", answer=Answer(outcome="allow_once")))
    log.add(ToolCallFinished(call_id="c1", outcome="ok", summary="done"))
    log.says("end")
    older, newest = tuple(log.envelopes[:cut]), tuple(log.envelopes[cut:])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    assert not model.complete
    resets: list[bool] = []
    model.modelReset.connect(lambda: resets.append(True))
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False, complete=True)])
    qtbot.waitUntil(lambda: model.complete, timeout=25_000)
    assert kinds(model) == ["user", "calls", "resolved", "assistant"]
    assert model.rows[1].calls[0].summary == "done"
    assert model.rows[2].text.startswith("You allowed this once: ls")
    assert model.complete
    assert resets == []


def test_a_chat_of_ten_thousand_rows_is_whole_and_holds_no_row_twice(model: TranscriptModel, qtbot: QtBot) -> None:
    log = Log()
    for number in range(2_500):
        log.user(f"q{number}")
        log.says(f"a{number}", f"m{number}")
    model.hearing.take([log.opened()])
    assert model.rowCount() < 1_000
    qtbot.waitUntil(lambda: model.complete, timeout=25_000)
    texts = [row.text for row in model.rows if row.kind != "date"]
    assert texts == [f"{side}{number}" for number in range(2_500) for side in "qa"]
    assert len({row.key for row in model.rows}) == model.rowCount()


def test_every_row_answers_its_key_and_a_sentence(model: TranscriptModel) -> None:
    log = Log()
    log.user("hello")
    log.call("c1", "Edit auth/middleware.py", summary="+6 −2", category="write")
    shown(model, log)
    sentences = [model.data(model.index(n), Qt.ItemDataRole.AccessibleTextRole) for n in range(2)]
    clock = f"{log.envelopes[0].at.astimezone():%H:%M}"
    assert sentences == [f"You, {clock}, hello", f"Agent, {clock}, Edit auth/middleware.py, +6 −2"]
    assert [model.data(model.index(n), KEY_ROLE) for n in range(2)] == ["row:0", "row:1"]
