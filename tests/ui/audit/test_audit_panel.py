"""The Audit tab: counts, filters, the check of the record, its export, an opened decision, and looking back."""

import hashlib
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFileDialog, QLabel, QWidget

from desktop.domain.commands import ExportAudit, LoadBlob, MarkReviewed, RevertChange, VerifyAudit
from desktop.domain.core.content import Card, TouchedFile
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.display.shown_text import shown_text
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.egress.updates import SeenTraffic, TrafficLoaded
from desktop.domain.egress.values import Traffic
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
)
from desktop.domain.gate.events import ReviewFlagged, ReviewReverted, SandboxProbed
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.sandbox import ProbeResult, SandboxReport
from desktop.domain.hooks.events import HookRan
from desktop.domain.updates import AuditExported, AuditVerified, BlobLoaded, CommandFailed, SessionOpened
from desktop.domain.web.events import VendorSearched
from desktop.ui.audit.fold import AuditFold
from desktop.ui.audit.panel import AuditPanel
from desktop.ui.core.requests import Requests
from tests.ui.card_scenes import NOW, SESSION, Sink, approval, envelope

LEFT = Qt.MouseButton.LeftButton
LAID_OUT_PX = 10
WRITE = (TouchedFile(path="auth/middleware.py", kind="modify", added=2, removed=1),)


def decided(call_id, verdict=Verdict.ALLOW, title="Read a.py", rule="read", **fields):
    return ToolCallDecided(
        call_id=call_id, name_called="bash", tool="bash", verdict=verdict, rule=rule, mode=PermissionMode.EDIT,
        card=Card(title=title), digest="cd" * 32, **fields,
    )  # fmt: skip


def finished(call_id, outcome="ok", **fields):
    return ToolCallFinished(call_id=call_id, outcome=outcome, **fields)


def review(call_id):
    return InputRequested(
        input_id=f"inp_{call_id}", call_id=call_id, request=approval(call_id=call_id, blocking=False)
    )  # fmt: skip


EVENTS = (
    TurnStarted(turn_id="t1"),
    decided("c1"), finished("c1", summary="128 lines"),
    decided("c2", Verdict.ASK, "Run npm test", "no_rule"),
    InputRequested(input_id="i2", call_id="c2", request=approval()),
    InputResolved(input_id="i2", answer=Answer(outcome="reject", note="not now"), person="person"),
    finished("c2", "declined"),
    decided("c3", Verdict.DENY, "rm -rf ~", "D-wide"),
    TurnStarted(turn_id="t2"),
    decided("c4", title="Edit auth/middleware.py", rule="full_auto", review_after=True),
    finished("c4", touched=WRITE), review("c4"),
    decided("c5", title="touch a", rule="full_auto", review_after=True), finished("c5"), review("c5"),
    decided("c6", Verdict.ASK, "npm install", "no_rule"),
)  # fmt: skip


class Scene:
    def __init__(self, qtbot):
        self.qtbot = qtbot
        self.sink = Sink()
        self.requests = Requests(self.sink)
        self.panel = AuditPanel(self.requests)
        self.panel.resize(380, 760)
        self.count = 0

    def get(self, name):
        found = self.panel.findChild(QWidget, name)
        assert found is not None, f"no {name}"
        return found

    def add(self, *events):
        for event in events:
            self.tell(envelope(self.count, event))
            self.count += 1

    def tell(self, *updates):
        self.requests.deliver(updates, self.panel.hearing)

    def click(self, name):
        widget = self.get(name)
        self.qtbot.waitUntil(lambda: widget.isVisible() and widget.height() > LAID_OUT_PX)
        QTest.mouseClick(widget, LEFT)

    def open_row(self, key):
        table = self.get("audit_table")
        rows = [row.key for row in self.panel.model.rows]
        index = table.model().mapFromSource(self.panel.model.index(rows.index(key), 0))
        table.scrollTo(index)
        QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())

    def shown(self):
        model = self.get("audit_table").model()
        return [model.index(row, 1).data() for row in range(model.rowCount())]

    def said(self):
        label = self.get("audit_said")
        return label.text() if label.isVisible() else ""

    def evidence(self):
        return self.get("audit_evidence").toPlainText()

    def sent(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)]

    def visible_buttons(self):
        buttons = self.get("audit_detail").findChildren(QAbstractButton)
        return [button.text() for button in buttons if button.isVisible() and button.text()]


@pytest.fixture
def scene(qtbot):
    scene = Scene(qtbot)
    qtbot.addWidget(scene.panel)
    with qtbot.waitExposed(scene.panel):
        scene.panel.show()
    scene.panel.show_session(SESSION)
    scene.tell(SessionOpened(session_id=SESSION, envelopes=()))
    scene.add(*EVENTS)
    return scene


def test_the_counts_in_the_header_are_those_of_the_log(scene):
    text = scene.get("audit_counts").text()
    assert text == "6 decisions: 3 allowed, 1 asked, 1 declined, 1 refused · 2 to review"
    verdicts = [event.verdict for event in EVENTS if isinstance(event, ToolCallDecided)]
    declined = sum(isinstance(event, InputResolved) and event.answer.outcome == "reject" for event in EVENTS)
    assert len(verdicts) == 6
    assert verdicts.count(Verdict.ALLOW) == 3
    assert verdicts.count(Verdict.ASK) - declined == 1
    assert sum(isinstance(event, InputRequested) and not event.request.blocking for event in EVENTS) == 2


def test_filters_by_decision_rule_and_text_count_together(scene):
    box: QComboBox = scene.get("audit_decision")
    box.setCurrentText("refused")
    assert scene.shown() == ["rm -rf ~"]
    box.setCurrentText("to review")
    assert scene.shown() == ["Edit auth/middleware.py", "touch a"]
    QTest.keyClicks(scene.get("audit_filter"), "touch")
    assert scene.shown() == ["touch a"]
    scene.get("audit_filter").clear()
    box.setCurrentIndex(0)
    rules: QComboBox = scene.get("audit_rule")
    assert [rules.itemText(at) for at in range(rules.count())] == ["Any rule", "D-wide", "full_auto", "no_rule", "read"]
    rules.setCurrentText("no_rule")
    assert scene.shown() == ["Run npm test", "npm install"]
    box.setCurrentText("refused")
    assert "No decision is like that." in [label.text() for label in scene.panel.findChildren(QLabel)]


def test_the_filters_follow_new_decisions(scene):
    scene.get("audit_decision").setCurrentText("asked")
    assert scene.shown() == ["npm install"]
    scene.add(decided("c7", Verdict.ASK, "npm ci", "no_rule"))
    assert scene.shown() == ["npm install", "npm ci"]
    scene.panel.show_reviews()
    assert scene.shown() == ["Edit auth/middleware.py", "touch a"]


def test_verify_says_how_many_records_were_verified(scene):
    scene.click("audit_verify")
    assert [command.session_id for command in scene.sent(VerifyAudit)] == [SESSION]
    scene.click("audit_verify")
    assert len(scene.sent(VerifyAudit)) == 1
    assert scene.get("audit_verify").text() == "Verifying…"
    text = "1,204 records verified at 14:02."
    scene.tell(AuditVerified(session_id=SESSION, ok=True, text=text, records=1204))
    assert scene.said() == text
    assert scene.get("audit_said").property("role") == "success"
    assert scene.get("audit_verify").text() == "Verify"


def test_a_broken_record_is_said_in_red_and_stays(scene):
    scene.click("audit_verify")
    text = "Record 311 does not match what was written. Records after it cannot be trusted."
    scene.tell(AuditVerified(session_id=SESSION, ok=False, text=text))
    scene.add(decided("c8"))
    QTest.keyClicks(scene.get("audit_filter"), "x")
    assert scene.said() == text
    assert scene.get("audit_said").property("role") == "danger"


def test_a_check_that_failed_says_why_and_can_be_asked_again(scene):
    scene.click("audit_verify")
    (command,) = scene.sent(VerifyAudit)
    scene.tell(CommandFailed(command_id=command.command_id, code="unreadable", text="It cannot be read."))
    assert scene.said() == "It cannot be read."
    assert scene.get("audit_verify").text() == "Verify"
    scene.tell(AuditVerified(session_id="ses_other", ok=True, text="other"))
    assert scene.said() == "It cannot be read."


def test_what_is_shown_is_copied_as_text(scene):
    scene.get("audit_decision").setCurrentText("refused")
    scene.click("audit_copy")
    (line,) = QApplication.clipboard().text().splitlines()
    assert line.split("\t")[1:] == ["rm -rf ~", "refused", "D-wide", "rule", ""]
    assert scene.said() == "1 decision copied."


def test_export_asks_for_a_file_and_says_that_secrets_are_removed(scene, qtbot, tmp_path):
    scene.click("audit_export")
    dialog = scene.panel.findChild(QFileDialog, "audit_export_dialog")
    assert "secrets are removed" in dialog.windowTitle()
    path = str(tmp_path / "record.jsonl")
    dialog.fileSelected.emit(path)
    dialog.reject()
    (command,) = scene.sent(ExportAudit)
    assert (command.session_id, command.path) == (SESSION, path)
    scene.tell(AuditExported(command_id=command.command_id, session_id=SESSION, path=path, records=12))
    assert scene.said() == f"12 records written to {path}. Secrets that were recognised are removed."
    scene.click("audit_export")
    scene.panel.findChild(QFileDialog, "audit_export_dialog").fileSelected.emit(path)
    command = scene.sent(ExportAudit)[-1]
    scene.tell(CommandFailed(command_id=command.command_id, code="not_exported", text="It exists already."))
    assert scene.said() == "It exists already."


def test_an_opened_row_shows_the_evidence_as_shown_and_the_digest(scene):
    assert not scene.get("audit_detail").isVisible()
    scene.open_row("call:c2")
    text = scene.evidence()
    assert "Declined by person" in text
    assert "Note: not now" in text
    assert f"Digest: {'cd' * 32}" in text
    assert "As shown\nRun npm test\nnpm test" in text
    assert "turn 1" in text
    assert scene.visible_buttons() == []
    scene.click("audit_detail_close")
    assert not scene.get("audit_detail").isVisible()


def test_an_edited_call_shows_both_versions_and_the_text_that_was_on_screen(scene):
    request = approval(call_id="c9", arguments={"command": "npm test", "timeout_ms": 5})
    mine = request.model_copy(update={"card": Card(title="Run npm run lint")})
    kept = shown_text(mine)
    digest = hashlib.sha256(kept.encode()).hexdigest()
    answer = Answer(outcome="allow_once", edited_input={"command": "npm run lint"})
    scene.add(
        decided("c9", Verdict.ASK, "Run npm test"), InputRequested(input_id="i9", call_id="c9", request=request),
        InputResolved(input_id="i9", answer=answer, shown_sha256=digest),
    )  # fmt: skip
    scene.open_row("call:c9")
    assert [command.sha256 for command in scene.sent(LoadBlob)] == [digest]
    assert "being read" in scene.evidence()
    scene.tell(BlobLoaded(session_id=SESSION, sha256=digest, text=kept))
    text = scene.evidence()
    assert "As shown\nRun npm run lint" in text
    agents, persons = text.index("The agent's version"), text.index("The person's version")
    assert "npm test" in text[agents:persons]
    assert "npm run lint" in text[persons:]


def test_the_recorded_text_is_not_asked_for_when_it_is_the_same(scene):
    request = approval(call_id="c9")
    digest = hashlib.sha256(shown_text(request).encode()).hexdigest()
    scene.add(
        decided("c9", Verdict.ASK), InputRequested(input_id="i9", call_id="c9", request=request),
        InputResolved(input_id="i9", answer=Answer(outcome="allow_once"), shown_sha256=digest),
    )  # fmt: skip
    scene.open_row("call:c9")
    assert scene.sent(LoadBlob) == []
    assert f"Kept as sha256 {digest}" in scene.evidence()


def test_the_sandbox_that_a_call_ran_in_is_named_with_its_gaps(scene):
    probes = (ProbeResult(name="tcp", outcome="failed", gap="Commands reach the network."),)
    report = SandboxReport(id="r1", tier="landlock", level="limited", probes=probes, at=NOW)
    scene.add(
        SandboxProbed(report=report), decided("c9"), ToolCallStarted(call_id="c9", tool="bash", report_id="r1"),
        finished("c9"),
    )  # fmt: skip
    scene.open_row("call:c9")
    assert "Landlock" in scene.evidence()
    assert "Not stopped: Commands reach the network." in scene.evidence()


def test_a_record_to_review_is_marked(scene):
    scene.open_row("call:c4")
    assert scene.visible_buttons() == ["Mark reviewed", "Tell the agent…", "Revert…", "Mark all of this turn"]
    scene.click("audit_mark")
    (command,) = scene.sent(MarkReviewed)
    assert (command.input_ids, command.note) == (("inp_c4",), "")
    scene.add(ReviewFlagged(input_ids=("inp_c4",)))
    assert "1 to review" in scene.get("audit_counts").text()
    assert scene.visible_buttons() == ["Revert…"]


def test_all_of_a_turn_are_marked_together(scene):
    scene.open_row("call:c5")
    scene.click("audit_mark_turn")
    (command,) = scene.sent(MarkReviewed)
    assert command.input_ids == ("inp_c4", "inp_c5")


def test_a_note_for_the_agent_is_typed_in_the_row(scene):
    scene.open_row("call:c4")
    scene.click("audit_tell")
    assert not scene.get("audit_note_keep").isEnabled()
    QTest.keyClicks(scene.get("audit_note"), "  Use strip_next here.")
    QTest.keyClick(scene.get("audit_note"), Qt.Key.Key_Return)
    (command,) = scene.sent(MarkReviewed)
    assert (command.input_ids, command.note) == (("inp_c4",), "Use strip_next here.")
    assert not scene.get("audit_note").isVisible()


def test_a_revert_is_asked_for_once_more_and_its_refusal_is_said_in_the_row(scene):
    scene.open_row("call:c4")
    scene.click("audit_revert")
    dialog = scene.panel.findChild(QWidget, "audit_revert_dialog")
    assert any("auth/middleware.py" in label.text() for label in dialog.findChildren(QLabel))
    QTest.mouseClick(dialog.findChild(QWidget, "audit_revert_go"), LEFT)
    (command,) = scene.sent(RevertChange)
    assert (command.session_id, command.call_id) == (SESSION, "c4")
    sentence = "Not reverted: auth/middleware.py was changed after this call."
    scene.tell(CommandFailed(command_id=command.command_id, code="not_reverted", text=sentence))
    assert scene.get("audit_detail_problem").text() == sentence
    scene.add(ReviewReverted(call_id="c4"))
    assert "reverted" in scene.evidence()
    assert scene.visible_buttons() == []


def test_what_a_command_did_cannot_be_taken_back_and_the_row_says_so(scene):
    scene.open_row("call:c5")
    assert "Revert…" not in scene.visible_buttons()
    assert "cannot be taken back here" in scene.get("audit_no_revert").text()
    assert scene.get("audit_no_revert").isVisible()


def test_another_chat_begins_with_nothing_chosen(scene):
    scene.open_row("call:c4")
    scene.get("audit_decision").setCurrentText("allowed")
    scene.click("audit_verify")
    scene.panel.show_session("ses_other")
    assert not scene.get("audit_detail").isVisible()
    assert scene.said() == ""
    assert scene.panel.bar.decision == ""
    scene.panel.show_session(SESSION)
    assert scene.get("audit_verify").text() == "Verify"


def test_focus_alone_opens_no_row_and_enter_does(scene):
    table = scene.get("audit_table")
    table.setFocus()
    assert not scene.get("audit_detail").isVisible()
    table.setCurrentIndex(table.model().index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert scene.get("audit_detail").row.key == "call:c2"
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert scene.get("audit_detail").row.key == "call:c3"


# a long chat


def long_log(calls: int) -> tuple[Envelope, ...]:
    """The log of a chat of so many calls, a turn for each two, in which some were asked for and some have to be looked
    back on."""
    events: list[Event] = [TurnStarted(turn_id="t0")]
    for number in range(calls):
        call_id = f"c{number}"
        if number % 2 == 0:
            events.append(TurnStarted(turn_id=f"t{number}"))
        events.append(decided(call_id, title=f"Run {number}", rule="full_auto", review_after=number % 5 == 0))
        events.append(finished(call_id))
        if number % 5 == 0:
            events.append(review(call_id))
    return tuple(envelope(at, event) for at, event in enumerate(events))


def in_parts(log: Sequence[Envelope], newest: int, size: int) -> list[SessionOpened]:
    """The log as it is told from its end."""
    cut = max(0, len(log) - newest)
    parts = [SessionOpened(session_id=SESSION, envelopes=tuple(log[cut:]), complete=False)]
    ends = list(range(cut, 0, -size)) or [0]
    for end in ends:
        piece, last = tuple(log[max(0, end - size) : end]), end == ends[-1]
        parts.append(SessionOpened(session_id=SESSION, envelopes=piece, first=False, complete=last))
    return parts


@pytest.mark.parametrize("live", [0, 1, 7])
@pytest.mark.parametrize("seen", [True, False])
def test_a_long_chat_told_from_its_end_has_the_rows_of_one_told_whole(scene, qtbot, live, seen):
    log = long_log(900)
    scene.panel.setVisible(seen)
    parts = in_parts(log[: len(log) - live], 500, 500)
    scene.tell(*parts[:1])
    assert scene.panel.model.rows == ()  # of half a log nothing is shown that a person could act on
    later = list(log[len(log) - live :])
    scene.tell(*later[:1])
    scene.tell(*parts[1:])
    scene.tell(*later[1:])
    if not seen:
        assert scene.panel.model.rows == ()
        scene.panel.show()
    assert not scene.panel.model.is_whole
    assert not scene.get("audit_counts").isVisible()
    qtbot.waitUntil(lambda: scene.panel.model.is_whole)
    folded = AuditFold()
    for one in log:
        folded.add(one.event, one.at)
    assert scene.panel.model.rows == tuple(folded.rows.values())
    assert scene.get("audit_counts").text().startswith("900 decisions")


def test_what_happens_while_rows_of_a_long_chat_come_is_in_them(scene, qtbot):
    log = long_log(900)
    wholes: list[bool] = []

    def come() -> None:
        wholes.append(scene.panel.model.is_whole)
        if len(wholes) == 1:
            scene.tell(*log[-3:])

    scene.panel.model.rowsInserted.connect(come)
    scene.tell(*in_parts(log[:-3], 500, 500))
    qtbot.waitUntil(lambda: scene.panel.model.is_whole)
    assert wholes[0] is False
    assert [row.what for row in scene.panel.model.rows] == [f"Run {number}" for number in range(900)]
    assert scene.shown()[-1] == "Run 899"


def test_an_event_that_was_told_twice_counts_once(scene):
    log = long_log(3)
    scene.tell(log[0], SessionOpened(session_id=SESSION, envelopes=log), log[-1], log[0])
    assert [row.turn for row in scene.panel.model.rows] == [2, 2, 3]


def test_rows_of_a_long_chat_come_a_few_at_a_time(scene, qtbot):
    counts: list[int] = []
    scene.panel.model.rowsInserted.connect(lambda parent, first, last: counts.append(last - first + 1))
    scene.tell(*in_parts(long_log(900), 500, 500))
    qtbot.waitUntil(lambda: scene.panel.model.is_whole)
    assert counts == [200, 200, 200, 200, 100]


def went_out(host: str, connections: int = 0, refused: int = 0, **more) -> EgressRecorded:
    up, down = (1_500 * connections, 90_000 * connections)
    fields = {"kind": "command", "host": host, "connections": connections, "refused": refused, **more}
    return EgressRecorded(traffic=(Traffic(bytes_up=up, bytes_down=down, **fields),))


@pytest.mark.promise("guests-E5")
def test_what_left_this_computer_is_one_list_by_host_whoever_it_was(scene):
    scene.add(
        went_out("pypi.org", 2),
        went_out("pypi.org", 1),
        went_out("evil.example", refused=3),
        went_out("api.example", 1, kind="server", client="db", port=8443),
        went_out("docs.example", 1, kind="web"),
        went_out("bell.example", 1, kind="hook", client="bell"),
    )
    scene.get("audit_decision").setCurrentText("network")
    assert scene.shown() == [
        "Reach pypi.org:443",
        "Reach evil.example:443",
        "Reach api.example:8443",
        "Reach docs.example:443",
        "Reach bell.example:443",
    ]
    rows = {row.what: row for row in scene.panel.model.rows}
    assert rows["Reach pypi.org:443"].result == "3 connections · 4.5 KB up · 270 KB down"
    assert rows["Reach evil.example:443"].decision == "refused"
    assert rows["Reach evil.example:443"].result == "refused 3 times"
    assert [row.by for row in rows.values() if row.traffic] == [
        "command",
        "command",
        "MCP server db",
        "web",
        "hook bell",
    ]
    scene.get("audit_filter").setText("api.")
    assert scene.shown() == ["Reach api.example:8443"]


def test_what_an_agent_did_by_itself_is_no_decision(scene):
    before = scene.get("audit_counts").text()
    scene.add(decided("c7", title="Changed without a reported call: a"), finished("c7", data={"unasked": True}))
    row = next(row for row in scene.panel.model.rows if row.call_id == "c7")
    assert (row.decision, row.outcome.split(" · ")[0]) == ("unasked", "by agent")
    decisions, reviews = before.split(" · ")
    assert scene.get("audit_counts").text() == f"{decisions} · 1 not asked · {reviews}"


def test_hosts_are_counted_apart_from_decisions(scene):
    before = scene.get("audit_counts").text()
    scene.add(went_out("pypi.org", 1))
    decided, _, reviews = before.partition(" · ")
    assert scene.get("audit_counts").text() == f"{decided} · 1 host beyond this computer · {reviews}"


def test_an_opened_host_says_what_was_exchanged_and_offers_nothing_to_take_back(scene):
    scene.add(went_out("pypi.org", 1))
    scene.open_row("host:command::pypi.org:443")
    assert "Beyond this computer\n1 connection" in scene.evidence()
    assert scene.visible_buttons() == []


def hook_ran(decision: str, event: str = "before_call", **fields) -> HookRan:
    return HookRan(hook="friday", event=event, decision=decision, duration_ms=41, **fields)


@pytest.mark.promise("guests-H8")
def test_what_hooks_said_stands_in_rows_of_their_own(scene):
    scene.add(
        hook_ran("denied", call_id="c3", reason="not on a Friday\u202e", exit_status=2),
        hook_ran("failed", "on_stop", scope="repository", reason="it took too long", stderr="Traceback"),
        hook_ran("noted", "after_call", exit_status=0),
    )
    rows = [row for row in scene.panel.model.rows if row.hook is not None]
    assert [row.cells[1:5] for row in rows] == [
        ("Hook friday before a call", "refused", "hook", "your hook"),
        ("Hook friday at the end of a turn", "noted", "hook", "hook of the repository"),
        ("Hook friday after a call", "noted", "hook", "your hook"),
    ]
    assert rows[0].result.startswith("denied · not on a Friday")
    assert "\u202e" not in rows[0].result
    assert " · 3 runs of hooks" in scene.get("audit_counts").text()
    scene.open_row("hook:2")
    assert "It failed: it took too long\nIt did not end by itself" in scene.evidence()
    assert "It printed as an error: Traceback" in scene.evidence()
    scene.get("audit_rule").setCurrentText("hook")
    assert len(scene.shown()) == 3


@pytest.mark.promise("guests-W9")
def test_what_servers_exchanged_outside_of_chats_stands_in_the_same_list(scene):
    (asked,) = [one for one in scene.sink.sent if isinstance(one, LoadTraffic)][-1:]
    seen = SeenTraffic(at=NOW, traffic=Traffic(kind="server", client="db", host="db.example", connections=2))
    scene.tell(TrafficLoaded(seen=(seen,), command_id=asked.command_id))
    scene.add(went_out("pypi.org", 1))
    scene.get("audit_decision").setCurrentText("network")
    assert sorted(scene.shown()) == ["Reach db.example:443", "Reach pypi.org:443"]
    rows = {row.what: row for row in scene.panel.model.rows}
    assert rows["Reach db.example:443"].by == "MCP server db, outside of chats"
    assert " · 2 hosts beyond this computer" in scene.get("audit_counts").text()
    scene.tell(SessionOpened(session_id=SESSION, envelopes=long_log(2)))
    assert "Reach db.example:443" in scene.shown(), "another reading of the chat takes nothing of it away"


@pytest.mark.promise("guests-W8")
def test_searches_of_the_model_s_service_are_listed_and_counted_as_such():
    fold = AuditFold()
    fold.add(VendorSearched(message_id="m", call_id="s", tool="web_search", query="令牌"), NOW)
    fold.add(VendorSearched(message_id="m", call_id="t", tool="web_fetch", problem="unavailable", offered=False), NOW)
    traffic = Traffic(kind="vendor", host="models.example.com", connections=2)
    fold.add(EgressRecorded(traffic=(traffic,)), NOW)
    first, second, reached = fold.rows.values()
    assert (first.what, first.decision, first.by, first.result) == (
        "At the vendor: 令牌", "noted", "your settings", "0 results",
    )  # fmt: skip
    assert (second.what, second.by, second.result) == ("At the vendor: web_fetch", "the service alone", "unavailable")
    assert (reached.what, reached.by, reached.result) == (
        "Reach models.example.com:443", "model service", "2 searches",
    )  # fmt: skip
