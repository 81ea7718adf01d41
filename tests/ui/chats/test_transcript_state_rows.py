"""Rows about what is in force: summaries, files put back, instructions, imports, checkpoints, stopped turns."""

import pytest
from pydantic import JsonValue
from PySide6.QtWidgets import QApplication

from desktop.domain.chats.library_events import AttachmentAdded, Imported, InstructionFile, InstructionFilesLoaded
from desktop.domain.context.events import Compacted, ContextCleared, MessageDeleted
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointSkipped, FilesRestored
from desktop.domain.core.content import Card, CodeBlock, LinkBlock
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    Notice,
    SessionForked,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.mcp.events import McpSampled
from desktop.domain.memory.events import MemorySearched, MemoryWritten
from desktop.domain.memory.values import MemoryUse
from desktop.domain.updates import SessionOpened
from desktop.domain.web.events import FoundPage, VendorSearched
from desktop.ui.chats.folds.decisions import decision_sentence
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import default_expanded, plain_text
from desktop.ui.chats.folds.turn_words import restart_sentence
from tests.ui.transcript_log import SESSION, START, Log


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    model = TranscriptModel(clock=lambda: START)
    model.open(SESSION)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    return model


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_summary_offers_to_go_back_to_before_it(model: TranscriptModel, log: Log) -> None:
    said = log.user("go")
    model.hearing.take([said, log.add(Compacted(summary="## Goal", tokens_before=142_000, tokens_after=18_000))])
    row = model.rows[-1]
    assert row.text == "Earlier messages were summarised · 142k → 18k tokens"
    assert (row.detail, row.actions, row.before_id) == (
        "## Goal", (("compaction_back", "Go back"),), said.event_id
    )  # fmt: skip
    model.hearing.take([log.add(ContextCleared(tokens_before=18_000))])
    assert model.rows[-1].text.endswith("18k tokens freed")


def test_files_that_were_put_back_are_counted_and_failures_are_named(model: TranscriptModel, log: Log) -> None:
    model.hearing.take([log.add(FilesRestored(restored=("a.py",), removed=("b.py", "c.py")))])
    assert (model.rows[-1].text, model.rows[-1].level) == ("1 file put back, 2 files removed", "info")
    assert "put back: a.py" in model.rows[-1].detail
    model.hearing.take([log.add(FilesRestored(failed=("x.py",)))])
    assert (model.rows[-1].level, model.rows[-1].detail) == ("danger", "could not be written: x.py")


def test_instructions_and_imports_are_one_quiet_line_each(model: TranscriptModel, log: Log) -> None:
    files = (InstructionFile(path="docs/AGENTS.md", sha256="a", bytes=1_200, cut=True),)
    model.hearing.take([log.add(InstructionFilesLoaded(files=files))])
    assert (model.rows[-1].text, model.rows[-1].detail) == (
        "Instructions: AGENTS.md", "docs/AGENTS.md · 1.2 KB, only its beginning"
    )  # fmt: skip
    model.hearing.take([log.add(Imported(source_name="old.jsonl", events=12, chain="broken"))])
    assert model.rows[-1].text == "Imported from old.jsonl · 12 entries · its record was changed"
    assert model.rows[-1].level == "warning"


def test_the_memory_says_what_was_looked_up_and_what_was_kept(model: TranscriptModel, log: Log) -> None:
    used = tuple(MemoryUse(memory_id=f"mem_{number}", version=1) for number in range(4))
    failed = MemorySearched(automatic=True, guard="required", ran=False, problem="It took more than 150 ms.")
    note = UserMessage(parts=({"type": "text", "text": "Remembered"},), origin="note", note_kind="memory")
    model.hearing.take(
        [
            log.add(MemorySearched(automatic=True, guard="required", found=9, used=used)), log.add(note),
            log.add(failed), log.add(MemorySearched(call_id="c1", found=2)),
            log.add(MemoryWritten(memory_id="mem_1", content="Round half up")),
            log.add(MemoryWritten(memory_id="mem_1", change="merged")),
            log.add(MemoryWritten(memory_id="mem_2", status="quarantined")),
        ]
    )  # fmt: skip
    assert [row.text for row in model.rows if row.kind == "notice"] == [
        "Memory: required · searched, 9 found, 4 used",
        "Memory: required · nothing searched yet: It took more than 150 ms.",
        "Memory: saved as a candidate", "Memory: said again", "Memory: saved for review",
    ]  # fmt: skip
    assert next(row.detail for row in model.rows if row.text.endswith("candidate")) == "Round half up"


@pytest.mark.promise("guests-M28")
def test_a_row_tells_that_a_server_used_the_model_and_opens_to_all_that_was_said(
    model: TranscriptModel, log: Log
) -> None:
    message: JsonValue = {"role": "user", "content": [{"type": "text", "text": "Sum it up\u202e"}]}
    sampled = McpSampled(
        server="docs", model="m-1", system="Be short.", messages=(message, "odd"), text="Short.",
        usage=Usage(input=1_000, output=200), cost_microusd=10_000,
    )  # fmt: skip
    model.hearing.take([log.add(sampled), log.add(McpSampled(server="docs", refused="No."))])
    done, refused = (row for row in model.rows if row.kind == "notice")
    assert done.text == "docs used the model m-1 · 1.2k tokens · $0.01"
    assert done.detail == "system:\nBe short.\n\nuser:\nSum it up⟦U+202E⟧\n\nthe answer:\nShort."
    assert (refused.text, refused.detail) == ("docs wanted to use the model and was refused: No.", "")


def test_a_fork_names_its_source_in_one_row(model: TranscriptModel, log: Log) -> None:
    model.hearing.take([log.add(SessionForked()), log.add(Notice(kind="forked", text="Forked from Fix it"))])
    assert [row.text for row in model.rows if row.kind == "notice"] == ["Forked from Fix it"]


@pytest.mark.parametrize("event", [
    CheckpointSkipped(call_id="c1", reason="The disk is full."),
    CheckpointMade(checkpoint_id="k", call_id="c1", partial="The disk is full."),
])  # fmt: skip
def test_a_call_without_a_whole_checkpoint_is_marked(model: TranscriptModel, log: Log, event: CheckpointMade) -> None:
    model.hearing.take([log.decided("c1"), log.add(event)])
    assert model.rows[-1].calls[0].unkept == "The disk is full."


def test_a_stopped_turn_that_may_have_written_offers_the_files_as_before_it(model: TranscriptModel, log: Log) -> None:
    log.add(TurnStarted(turn_id="t1"))
    log.user("go")
    log.add(CheckpointMade(checkpoint_id="ckp_1", reason="turn_start"))
    log.decided("c1", category="bash")
    log.add(ToolCallStarted(call_id="c1", tool="bash"))
    log.add(TurnEnded(turn_id="t1", status="interrupted", reason="stop"))
    model.hearing.take([log.opened()])
    assert model.rows[-1].actions == (("restore:ckp_1", "Put files back to before this turn"),)
    model.hearing.take([log.add(TurnStarted(turn_id="t2")), log.add(TurnEnded(turn_id="t2", status="interrupted"))])
    assert model.rows[-1].actions == ()


def test_a_message_from_the_queue_says_so_and_knows_its_files_also_when_they_come_after_it(
    model: TranscriptModel, log: Log
) -> None:
    parts = ({"type": "text", "text": "also"},)
    model.hearing.take([log.add(UserMessage(parts=parts, origin="queued", attachments=("a.png",)))])
    assert model.rows[-1].detail == "sent from the queue"
    added = AttachmentAdded(logical_name="a.png", stored_file_name="x", sha256="d" * 64, mime_type="image/png",
                            size_bytes=9_000, width_px=20)  # fmt: skip
    model.hearing.take([log.add(added)])
    assert [(file.sha256[:1], file.width_px) for file in model.rows[-1].files] == [("d", 20)]


def test_a_result_that_was_removed_is_marked_on_its_call(model: TranscriptModel, log: Log) -> None:
    finished = log.call("c1")[-1]
    model.hearing.take([*log.envelopes, log.add(MessageDeleted(target_id=finished.event_id))])
    assert model.rows[-1].calls[0].removed


@pytest.mark.parametrize("attached_first", [True, False])
def test_a_file_is_known_though_it_was_told_with_another_part_than_its_message(model, qtbot, attached_first):
    log = Log()
    added = AttachmentAdded(
        logical_name="a.png", stored_file_name="x", sha256="d" * 64, mime_type="image/png", size_bytes=9
    )
    message = UserMessage(parts=({"type": "text", "text": "Look"},), attachments=("a.png",))
    events = [log.add(added), log.add(message)] if attached_first else [log.add(message), log.add(added)]
    newest, older = (events[1],), (events[0],)
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=newest, complete=False)])
    model.hearing.take([SessionOpened(session_id=SESSION, envelopes=older, first=False)])
    qtbot.waitUntil(lambda: model.complete)
    (row,) = (row for row in model.rows if row.files)
    assert [(file.name, file.sha256) for file in row.files] == [("a.png", "d" * 64)]


@pytest.mark.promise("guests-W8")
@pytest.mark.parametrize("stored", [True, False])
def test_a_search_of_the_service_stands_where_it_was_made(model: TranscriptModel, log: Log, stored: bool) -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tokens"}}
    log.user("go")
    log.answer({"type": "text", "text": "I look."}, call, {"type": "text", "text": "A day."})
    found = (FoundPage(url="https://a.example.com/", title="T"),)
    log.add(VendorSearched(call_id="s1", tool="web_search", query="tokens", results=found))
    log.add(VendorSearched(call_id="s2", tool="code_execution", problem="unavailable", offered=False))
    if stored:
        model.open(SESSION)
        model.hearing.take([log.opened()])
    else:
        for envelope in log.envelopes:
            model.hearing.take([envelope])
    kinds = [(row.kind, row.text) for row in model.rows]
    assert [kind for kind, _ in kinds] == ["user", "assistant", "calls", "assistant", "calls"]
    first, second = model.rows[2].calls[0], model.rows[4].calls[0]
    assert (first.title, first.figure, first.state) == ("Search at the vendor: tokens", "1 result", "ok")
    assert [block.url for block in first.result if isinstance(block, LinkBlock)] == ["https://a.example.com/"]
    assert "search by itself" in decision_sentence(first)
    assert (second.title, second.figure, second.state) == ("code_execution at the vendor", "failed", "error")
    assert "Nobody had switched it on" in decision_sentence(second)


@pytest.mark.usefixtures("german")
def test_an_opened_row_says_how_large_the_arguments_for_a_server_are_in_the_language(
    model: TranscriptModel, log: Log
) -> None:
    card = Card(title="tracker › create", blocks=(CodeBlock(language="text", text="list: (2 items)"),))
    asked = refused("c1", "mode", "mcp__tracker__create", "").model_copy(update={"card": card})
    shell = asked.model_copy(update={"call_id": "c2", "tool": "bash"})
    model.hearing.take([log.add(TurnStarted(turn_id="t")), log.add(asked), log.add(shell)])
    server, command = model.rows[-1].calls
    assert [block.text for block in server.evidence if isinstance(block, CodeBlock)] == ["list: (2 Punkte)"]
    assert command.evidence == card.blocks


def refused(call_id: str, rule: str, tool: str, reason: str) -> ToolCallDecided:
    return ToolCallDecided(
        call_id=call_id, name_called=tool, tool=tool, verdict=Verdict.DENY, rule=rule, reason=reason,
        mode=PermissionMode.EDIT, input={"sql": "x"},
    )  # fmt: skip


def test_a_malformed_call_is_one_muted_line_that_nobody_refused(model: TranscriptModel, log: Log) -> None:
    words = "Invalid arguments for ask_user: questions: Field required. Fields: questions (list)."
    model.hearing.take([log.add(TurnStarted(turn_id="t")), log.add(refused("c1", "arguments", "ask_user", words))])
    model.hearing.take([log.add(ToolCallFinished(call_id="c1", outcome="refused", content=words))])
    (call,) = model.rows[-1].calls
    assert call.title == "The agent’s call of ask_user was malformed; it was told how, and can try again"
    assert (call.state, call.reason, call.figure, call.output) == ("malformed", "", "", words)
    assert "refused" not in plain_text(model.rows[-1])


def test_what_a_tool_refuses_by_what_a_call_would_do_is_a_refusal_with_its_reason(
    model: TranscriptModel, log: Log
) -> None:
    words = "It holds two statements: send one at a time."
    model.hearing.take([log.add(TurnStarted(turn_id="t")), log.add(refused("c1", "arguments", "sql_query", words))])
    (call,) = model.rows[-1].calls
    assert (call.state, call.reason) == ("refused", words)


def test_a_group_of_refused_calls_is_open_so_that_the_way_out_is_read(model: TranscriptModel, log: Log) -> None:
    hint = "sql_query is not available: no database is set up for this project. A person can add one in Settings."
    model.hearing.take([log.add(TurnStarted(turn_id="t"))])
    for number in range(6):
        call_id = f"c{number}"
        model.hearing.take([log.add(refused(call_id, "offered", "sql_query", hint))])
        model.hearing.take([log.add(ToolCallFinished(call_id=call_id, outcome="refused", content=hint))])
    row = model.rows[-1]
    assert row.is_group
    assert default_expanded(row, "row")
    assert {call.reason for call in row.calls} == {hint}


def test_a_question_that_nobody_answered_is_told_by_its_words() -> None:
    detail = "Banksman closed while this turn was running. Not answered: Ask: Where? (and 2 more)."
    ended = TurnEnded(turn_id="t", status="interrupted", detail=detail)
    told = restart_sentence(ended, [], {"Ask: Where? (and 2 more)": False})
    assert told == "Banksman closed while this turn was running. Not answered: Where? (and 2 more)."
