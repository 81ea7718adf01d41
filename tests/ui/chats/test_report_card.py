"""The card of a report: its state in words and colours, what shows each claim, checking again, the row of the lane."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.chats.library_events import Imported
from desktop.domain.core.content import BlobRef, Card
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.reports.events import CompletionReported
from desktop.domain.reports.updates import LaneReportsChanged, ReportsChanged
from desktop.domain.reports.values import Artifact, ArtifactView, Claim, ClaimView, ReportView
from desktop.ui.chats.folds.report_words import count_colour, report_text, status_look
from desktop.ui.chats.folds.row_words import accessible_text
from desktop.ui.chats.transcript.painting.pieces import LinePiece
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.sidebar.lane_rows import ANSWERED
from desktop.ui.sidebar.rows import sidebar_rows
from tests.ui.shell_samples import IN_LANE, LANE
from tests.ui.transcript_log import SESSION, START, Log, look

OUTPUT = BlobRef(sha256="ab" * 32, media_type="text/plain", size=12)
PROVED = ClaimView(
    text="all tests pass", kind="command", verdict="proved", subject="pytest -q", cwd="src", evidence_id="ev_1",
    exit_code=0, ending="exited", duration_ms=1200, tree="4b825dc642cb6eb9", output=OUTPUT,
)  # fmt: skip
FAILED = PROVED.model_copy(
    update={"text": "lint", "verdict": "failed", "exit_code": 1, "reason": "It ended with 1 instead of 0."}
)
STALE = PROVED.model_copy(update={"text": "build", "verdict": "stale", "reason": "Files changed since it ran."})
NONE = ClaimView(text="docs", kind="command", verdict="unproved", subject="make docs", reason="Banksman ran no such.")
SAID = ClaimView(text="it is nice", kind="statement", verdict="not_checked")
GONE = ArtifactView(reference="gone.md", found="missing")


def view_of(*claims: ClaimView, status: str = "completed", **more: object) -> ReportView:
    values = {"report_id": "c1", "session_id": SESSION, "summary": "The login is fixed.", "at": START}
    return ReportView.model_validate({**values, "status": status, "claims": claims, **more})


@pytest.fixture
def shown(qtbot: QtBot, qapp: QApplication) -> Iterator[TranscriptView]:
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    view = TranscriptView(window)
    view.resize(728, 900)
    view.open(SESSION)
    window.show()
    log = Log()
    log.user("go")
    decided = ToolCallDecided(
        call_id="c1", name_called="report_completion", tool="report_completion", verdict=Verdict.ALLOW, rule="mode",
        mode=PermissionMode.EDIT, category="read", card=Card(title="Report: completed"),
    )  # fmt: skip
    log.add(decided)
    log.add(ToolCallStarted(call_id="c1", tool="report_completion"))
    claims = (Claim(text="all tests pass", kind="command", command="pytest -q"),)
    artifacts = (Artifact(reference="src/login.py"),)
    log.add(CompletionReported(call_id="c1", summary="Fixed.", status="completed", claims=claims, artifacts=artifacts))
    log.add(ToolCallFinished(call_id="c1", outcome="ok", content="Report recorded."))
    view.hearing.take([log.opened()])
    yield view
    window.hide()


def tell(view: TranscriptView, report: ReportView) -> None:
    view.hearing.take([ReportsChanged(session_id=SESSION, lane_id="ln_1", reports=(report,))])


def lines(view: TranscriptView) -> list[tuple[str, ...]]:
    """Each line of the card: its title and its chips."""
    layout = view.layouts.layout_of(view.model.index_of("report:c1"))
    return [(one.title, *(chip[0] for chip in one.chips)) for one in layout.pieces if isinstance(one, LinePiece)]


def texts(view: TranscriptView) -> list[str]:
    layout = view.layouts.layout_of(view.model.index_of("report:c1"))
    return [piece.document.toPlainText() for piece in layout.pieces if isinstance(piece, DocumentPiece)]


def names(view: TranscriptView) -> list[str]:
    return [hit.name for hit in view.layouts.layout_of(view.model.index_of("report:c1")).hits]


def test_a_report_stands_for_its_call_and_says_checking_until_the_verdicts_come(shown: TranscriptView) -> None:
    assert [row.kind for row in shown.model.rows] == ["user", "report"]
    assert lines(shown)[:2] == [("Completed, checking…", "0 of 1 claim proved"), ("all tests pass", "checking…")]
    tell(shown, view_of(PROVED))
    assert lines(shown) == [
        ("Completed", "1 of 1 claim proved"), ("all tests pass", "exit 0 · 1.2 s", "proved")
    ]  # fmt: skip
    assert names(shown) == ["report_card", "report_claim"]


def test_each_verdict_has_its_words_and_the_reason_stands_below(shown: TranscriptView) -> None:
    warned = PROVED.model_copy(update={"warning": "fewer tests than last time: 80 instead of 120"})
    tell(shown, view_of(
        warned, FAILED, STALE, NONE, SAID, open_todos=3, artifacts=(
            ArtifactView(reference="src/login.py", title="The fix", found="found"),
            ArtifactView(reference="gone.md", found="missing"),
            ArtifactView(reference="https://example.org/x"),
        ),
    ))  # fmt: skip
    assert [line[-1] for line in lines(shown)] == [
        "1 of 4 claims proved · 1 file missing", "proved", "failed", "stale", "no evidence", "not checked", "found",
        "not found", "not looked up",
    ]  # fmt: skip
    assert lines(shown)[0][0] == "Completed, not proved"
    said = texts(shown)
    for sentence in (warned.warning, FAILED.reason, STALE.reason, NONE.reason, "3 open todos when it was reported"):
        assert sentence in said
    assert status_look(view_of(FAILED)) == ("triangle-alert", "warning")
    copied = report_text(shown.model.rows[-1].report or view_of())
    assert "- lint: failed, exit 1 · 1.2 s, It ended with 1 instead of 0." in copied
    assert "gone.md: not found" in copied
    assert "Completed, not proved" in accessible_text(shown.model.rows[-1])


@pytest.mark.promise("lanes-E7")
@pytest.mark.parametrize(
    ("report", "title", "look_of", "colour"),
    [
        (view_of(PROVED), "Completed", ("circle-check", "success"), "success"),
        (view_of(PROVED, artifacts=(GONE,)), "Completed", ("circle-check", "success"), "warning"),
        (view_of(STALE, PROVED), "Completed, stale", ("triangle-alert", "warning"), "warning"),
        (view_of(FAILED), "Completed, not proved", ("triangle-alert", "warning"), "danger"),
        (view_of(SAID), "Completed, nothing to check", ("circle-check", "muted"), "success"),
        (view_of(PROVED, status="partial"), "Partial", ("circle-dashed", "warning"), "success"),
        (view_of(status="blocked", blocker="no key"), "Blocked", ("octagon-x", "danger"), "success"),
    ],
)
def test_the_title_and_colour_follow_status_and_verdicts(
    report: ReportView, title: str, look_of: tuple[str, str], colour: str
) -> None:
    assert (report.title, status_look(report), count_colour(report)) == (title, look_of, colour)


def test_a_claim_opens_to_its_command_its_files_and_its_output(shown: TranscriptView, qtbot: QtBot) -> None:
    tell(shown, view_of(PROVED, SAID))
    assert shown.activate("report:c1", "report_claim")
    assert "pytest -q" in texts(shown)
    assert "in src · files 4b825dc642cb" in texts(shown)
    with qtbot.waitSignal(shown.open_full_output) as asked:
        assert shown.activate("report:c1", "report_output")
    assert asked.args == ["Output", OUTPUT.sha256]
    assert shown.activate("report:c1", "report_card")
    assert len(lines(shown)) == 1


def test_stale_claims_offer_to_be_checked_again_by_name_and_by_keys(shown: TranscriptView, qtbot: QtBot) -> None:
    tell(shown, view_of(STALE, PROVED, view_of(STALE).claims[0].model_copy(update={"verdict": "changed_tree"})))
    assert names(shown)[-1] == "report_check_again"
    with qtbot.waitSignal(shown.row_action) as asked:
        assert shown.activate("report:c1", "report_check_again")
    assert asked.args[1] == "report_check_again"
    item = QAccessible.queryAccessibleInterface(shown).child(1)
    buttons = [item.child(place) for place in range(item.childCount())]
    spoken = {one.text(QAccessible.Text.Identifier): one.text(QAccessible.Text.Name) for one in buttons}
    assert spoken["report_check_again"] == "Check again (2 commands)"
    tell(shown, view_of(STALE, last=False))
    assert "report_check_again" not in names(shown)


def test_a_report_that_came_from_a_file_has_no_evidence_here(shown: TranscriptView) -> None:
    log = Log()
    claims = (Claim(text="all tests pass", kind="command", command="pytest -q"),)
    log.add(CompletionReported(call_id="c1", summary="Fixed.", status="completed", claims=claims))
    log.add(Imported(source_name="chat.jsonl"))
    shown.hearing.take([log.opened()])
    assert lines(shown)[:2] == [("Completed, not proved", "0 of 1 claim proved"), ("all tests pass", "no evidence")]


def test_text_of_an_agent_cannot_pose_as_something_else(shown: TranscriptView) -> None:
    tell(shown, view_of(PROVED.model_copy(update={"text": "ok\u202eevorp\nsecond", "reason": "a\u202eb"})))
    assert "\u202e" not in "".join(line[0] for line in lines(shown)) + "".join(texts(shown))
    assert "\n" not in lines(shown)[1][0]


@pytest.mark.promise("lanes-E8")
def test_a_lane_says_done_only_for_a_report_that_is_proved_for_its_files() -> None:
    book = LaneBook()
    book.lanes = (LANE,)
    unseen = {IN_LANE.session_id: IN_LANE.last_activity_at - timedelta(minutes=5)}
    chats = (IN_LANE.model_copy(update={"turns": 2}),)

    def said() -> str:
        rows = sidebar_rows(book.lists(chats, unseen))
        return next(row for part in rows for row in part.children if row.key == f"lane:{LANE.id}").before

    assert said() == ANSWERED
    for report, words in ((view_of(PROVED), "done"), (view_of(STALE), ANSWERED), (view_of(SAID), ANSWERED)):
        book.hearing.take([LaneReportsChanged(reports=((LANE.id, report),))])
        assert said() == words, report.title
