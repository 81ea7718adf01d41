"""The Issues page and its dialogs: what waits to be fixed, a person's word about it, and rounds of work on it."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import ProbeResult, SandboxReport
from desktop.domain.rounds.commands import (
    LaunchResolution,
    LoadInventory,
    PreviewResolution,
    ResumeResolution,
    SetItemState,
    SetPipeline,
    StopResolution,
)
from desktop.domain.rounds.inventory import availability, synced
from desktop.domain.rounds.items import (
    LaunchChoice,
    PipelineRun,
    PipelineSettings,
    RoundRecord,
)
from desktop.domain.rounds.updates import InventoryChanged, ResolutionPreview, RoundChanged
from desktop.domain.updates import CommandFailed, SandboxReported
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.rounds.ignore_issue import IgnoreDialog
from desktop.ui.rounds.issue_rows import COLUMNS, IssueFilter
from desktop.ui.rounds.issues import IssuesPage
from desktop.ui.rounds.pipeline import PipelineDialog
from desktop.ui.rounds.resolve import ResolveDialog
from tests.ui.card_scenes import NOW
from tests.ui.pr_place import LANE, PullPlace, ago, check, snapshot
from tests.ui.shell_samples import Recorder

RED = (check(1, "tests (3.11)", "failure"), check(2, "lint", "timed_out"))
SHOWN = snapshot(checks=RED)
ITEMS = synced((), SHOWN, ago(minutes=20))


def inventory(items=ITEMS, **fields):
    """What the page is told."""
    known = {"lane_id": LANE, "number": 214, "items": items, "availability": availability(SHOWN, items),
             "synced_at": NOW}  # fmt: skip
    return InventoryChanged(**{**known, **fields})


def record(number, **fields):
    """A round that is over."""
    known = {
        "state": "done", "session_id": f"ses_{number}", "started_at": ago(hours=2), "sent": 4, "fixed": 2, "files": 3,
        "ended_at": ago(hours=2) + timedelta(minutes=3), "tokens": 182_000, "commits": ("a" * 40,), "returned": 1,
    }  # fmt: skip
    return RoundRecord(number=number, **{**known, **fields})


def rounds(state="idle", *records, **run):
    """Where rounds stand."""
    return RoundChanged(
        lane_id=LANE, number=214, run=PipelineRun(state=state, **run), rounds=records, next_round=len(records) + 1
    )


@pytest.fixture
def place(qtbot):
    place = PullPlace(qtbot, width=460)
    place.tell()
    place.pull.show_page("issues")
    place.apply(inventory(), rounds())
    return place


@pytest.fixture
def page(place):
    return place.inspector.of(PullPanel).pages.of(IssuesPage)


def choose(page, *numbers):
    """Select these rows."""
    model = page.items.list.selectionModel()
    model.clearSelection()
    flags = QItemSelectionModel.SelectionFlag
    for number in numbers:
        model.select(page.items.rows.index(number, 0), flags.Select | flags.Rows)


def test_what_is_kept_is_asked_for_when_the_page_is_shown(place, page):
    assert place.sent(LoadInventory)[-1].lane_id == LANE
    titles = [row.title for row in page.items.rows.rows]
    assert titles[:3] == ["tests (3.11)", "lint", "this still loops when next is empty."]


def segments(page) -> list[str]:
    """What is shown of the filter by state; the chosen one in brackets."""
    shown = page.findChild(QWidget, "issues_state").findChildren(QAbstractButton)
    return [f"[{one.text()}]" if one.isChecked() else one.text() for one in shown if not one.isHidden()]


def test_items_are_filtered_by_state_source_and_severity(place, page):
    ignored = tuple(item.model_copy(update={"state": "dismissed"}) if item.ref == "lint" else item for item in ITEMS)
    place.apply(inventory(ignored))
    assert "lint" not in [row.title for row in page.items.rows.rows]
    page.items.set_filter(IssueFilter(state="dismissed"))
    assert [row.title for row in page.items.rows.rows] == ["lint"]
    assert segments(page) == ["New 5", "[Ignored 1]", "All 6"]
    page.items.set_filter(IssueFilter(state="", source="coderabbit"))
    assert [row.title for row in page.items.rows.rows] == [
        "Name it without_next.", "Deployed to https://preview.example.org/214",
    ]  # fmt: skip
    page.items.set_filter(IssueFilter(state="", severity="critical"))
    assert len(page.items.rows.rows) == 1
    assert segments(page) == ["New 5", "With the agent", "[All 6]"]
    page.items.set_filter(IssueFilter(state="fixed"))
    assert page.items.rows.rows == ()
    assert place.get("issues_nothing").text() == "No item passes the filter."
    assert place.get("issue_fix").toolTip() == "Choose items first."


def test_nothing_to_fix_says_when_that_was_so_and_a_failure_keeps_the_list(place, page):
    place.apply(inventory(()))
    assert place.get("issues_nothing").text() == f"Nothing to fix. As of {NOW.astimezone():%H:%M}."
    place.apply(inventory((), synced_at=None, loading=True))
    assert place.get("issues_nothing").text() == "Checking…"
    place.apply(inventory(problem="GitHub cannot be reached."))
    assert len(page.items.rows.rows) == len(ITEMS)
    assert place.get("issues_note").text().startswith("GitHub cannot be reached. As of ")
    assert not place.get("issue_fix").isEnabled()


def test_ignoring_asks_why_and_restoring_does_not(place, page, qtbot):
    choose(page, 0, 1)
    assert (place.get("issue_ignore").isVisible(), place.get("issue_restore").isVisible()) == (True, False)
    place.click("issue_ignore")
    dialog = place.inspector.window().findChild(IgnoreDialog)
    assert dialog.windowTitle() == "Ignore 2 items?"
    assert not dialog.go.isEnabled()
    qtbot.keyClicks(dialog.reason, "flaky on Mondays")
    qtbot.keyClick(dialog.reason, Qt.Key.Key_Return)
    (command,) = place.sent(SetItemState)
    assert (command.item_ids, command.to, command.reason) == (
        ("check:tests (3.11)", "check:lint"), "dismissed", "flaky on Mondays",
    )  # fmt: skip
    ignored = tuple(item.model_copy(update={"state": "dismissed", "reason": "flaky"}) for item in ITEMS[:2])
    place.apply(inventory((*ignored, *ITEMS[2:])))
    page.items.set_filter(IssueFilter(state="dismissed"))
    choose(page, 1)
    assert place.get("issue_about").text().startswith("Ignored: flaky")
    assert (place.get("issue_ignore").isVisible(), place.get("issue_restore").isVisible()) == (False, True)
    place.click("issue_restore")
    assert (place.sent(SetItemState)[-1].to, place.sent(SetItemState)[-1].item_ids) == ("new", ("check:lint",))
    page.items.set_filter(IssueFilter())
    choose(page, 0)
    place.click("issue_escalate")
    assert place.sent(SetItemState)[-1].to == "escalated"


def test_a_refusal_is_told(place, page):
    told = []
    page._shown.noted.connect(lambda text, failed: told.append((text, failed)))
    choose(page, 0)
    place.click("issue_escalate")
    place.apply(CommandFailed(command_id=place.sent(SetItemState)[-1].command_id, code="x", text="It is gone."))
    assert told == [("It is gone.", True)]


def test_fixing_names_the_scope_of_what_is_selected(place, page):
    asked = []
    page._shown.fix_asked.connect(lambda scope, ids: asked.append((scope, ids)))
    place.click("issue_fix")
    choose(page, 0, 1)
    place.click("issue_fix")
    choose(page, 2, 3)
    place.click("issue_fix")
    assert asked == [
        ("both", ()), ("checks", ("check:tests (3.11)", "check:lint")), ("comments", ("thread:T1", "thread:T2")),
    ]  # fmt: skip
    waits = snapshot(checks=(check(1, "a", "failure"), check(3, "b", state="running")), threads=())
    place.apply(inventory(ITEMS[:1], availability=availability(waits, ITEMS[:1])))
    assert not place.get("issue_fix").isEnabled()
    assert place.get("issue_fix").toolTip() == "Wait: 1 check is still running."
    assert page._shown.fold.why_not_fix("checks") == "Wait: 1 check is still running."


def test_checks_and_threads_are_given_to_an_agent_from_their_pages(place, page):
    asked = []
    page._shown.fix_asked.connect(lambda scope, ids: asked.append((scope, ids)))
    place.pull.show_page("checks")
    place.click("pr_checks_fix")
    place.pull.show_page("threads")
    place.click("pr_threads_fix")
    assert asked == [("checks", ()), ("comments", ())]
    place.apply(inventory(availability=availability(snapshot(), ITEMS)))
    place.pull.show_page("checks")
    assert place.get("pr_checks_fix").toolTip() == "Wait: 1 check is still running."
    assert not place.get("pr_checks_fix").isEnabled()
    place.apply(inventory((), availability=availability(snapshot(checks=(), threads=()), ())))
    assert not place.get("pr_threads_fix").isVisible()


@pytest.mark.parametrize(
    ("run", "words", "buttons"),
    [
        ({"state": "running"}, "Round 2 is at work.", (False, True)),
        ({"state": "polling", "waits_for": "1 check is still running."}, "1 check is still running.", (False, True)),
        ({"state": "paused", "reason": "it is behind main"}, "Paused: it is behind main.", (True, True)),
        ({"state": "converged"}, "Converged: nothing is left to fix.", (True, False)),
        ({"state": "failed", "reason": "No key."}, "Round 2 could not begin: No key.", (True, False)),
        ({"state": "merged"}, "Merged.", (False, False)),
    ],
)  # fmt: skip
def test_a_strip_says_where_the_rounds_stand(place, run, words, buttons):
    place.apply(rounds(run.pop("state"), record(1), record(2), **run))
    assert place.get("pr_round_state_text").text() == words
    assert (place.get("round_resume").isVisible(), place.get("round_stop").isVisible()) == buttons


def test_rounds_are_a_table_that_leads_to_their_chats(place, page):
    opened = []
    page._shown.chat_asked.connect(opened.append)
    place.click("issues_view_rounds")
    assert place.get("rounds_nothing").isVisible()
    place.apply(rounds("paused", record(1), record(2, state="stopped", reason="a person stopped it"), reason="x"))
    table = page.rounds.table
    model = table.model()
    assert [model.index(0, at).data() for at in range(model.columnCount())] == [
        "2", "stopped", "4", "2", "0", "1", "3", "182k", "3 min",
    ]  # fmt: skip
    place.inspector.resize(900, place.inspector.height())
    assert place.get("rounds_about").text() == "Round 2: 1 commit, converging. a person stopped it"
    place.click("round_chat")
    table.setCurrentIndex(model.index(1, 0))
    place.click("round_chat")
    assert opened == ["ses_2", "ses_1"]
    place.click("round_resume")
    place.click("round_stop")
    assert (len(place.sent(ResumeResolution)), len(place.sent(StopResolution))) == (1, 1)


def test_a_narrow_table_of_rounds_drops_columns_and_says_them_below(place, page):
    place.click("issues_view_rounds")
    place.apply(rounds("paused", record(1), reason="x"))
    place.inspector.resize(300, place.inspector.height())
    table = page.rounds.table
    shown = [name for at, name in enumerate(COLUMNS) if not table.isColumnHidden(at)]
    assert shown == ["Round", "State", "Given", "Fixed"]
    assert table.horizontalHeader().length() <= table.viewport().width()
    said = "Round 1: 1 commit, 1 came back, 3 files, 182k tokens, 3 min, converging"
    assert place.get("rounds_about").text() == said
    at_once = record(1)
    place.apply(rounds("paused", at_once.model_copy(update={"ended_at": at_once.started_at}), reason="x"))
    assert place.get("rounds_about").text() == said.replace(" 3 min,", "")


# the dialogs


class Dialogs:
    """A window with a dialog, and what it sends."""

    def __init__(self, qtbot):
        self.window, sink = QWidget(), Recorder()
        qtbot.addWidget(self.window)
        self.sent, self.requests = sink.sent, Requests(sink)
        self.host = WindowLanes(LaneBook(), ChatCommands(self.requests, self.window), lambda _chat: "", self.window)
        self.window.resize(1024, 700)
        self.window.show()

    def tell(self, dialog, *updates):
        self.requests.deliver(updates, dialog.hearing)

    def preview(self, dialog, **fields):
        """Answer the last question."""
        asked = [one for one in self.sent if isinstance(one, PreviewResolution)][-1]
        choice = asked.choice.model_copy(update={"item_ids": tuple(item.id for item in ITEMS)})
        known = {
            "command_id": asked.command_id, "lane_id": LANE, "number": 214, "round": 2, "rounds": 5, "digest": "d" * 64,
            "prompt": "Resolve\t\u202eit.\n", "items": ITEMS, "choice": choice,
            "modes": (PermissionMode.EDIT, PermissionMode.FULL_AUTO),
        }  # fmt: skip
        self.tell(dialog, ResolutionPreview(**{**known, **fields}))
        return asked


@pytest.fixture
def dialogs(qtbot):
    return Dialogs(qtbot)


@pytest.fixture
def resolve(dialogs):
    dialog = ResolveDialog(LANE, LaunchChoice(scope="both"), dialogs.host, EngineFacts())
    dialog.open()
    return dialog


def test_the_exact_prompt_is_shown_before_it_can_be_sent(resolve, dialogs, qtbot):
    assert not resolve.go.isEnabled()
    dialogs.preview(resolve)
    prompt = resolve.findChild(QPlainTextEdit, "resolve_prompt")
    assert prompt.isReadOnly()
    assert "U+202E" in prompt.toPlainText()
    assert resolve.items.count() == len(ITEMS)
    assert not resolve.findChild(QWidget, "resolve_mode_plan").isEnabled()
    qtbot.mouseClick(resolve.go, Qt.MouseButton.LeftButton)
    launch = dialogs.sent[-1]
    assert isinstance(launch, LaunchResolution)
    assert (launch.digest, launch.choice.item_ids) == ("d" * 64, tuple(item.id for item in ITEMS))
    begun = []
    resolve.begun.connect(begun.append)
    dialogs.tell(resolve, rounds("running", record(2), session_id=launch.session_id))
    assert begun == [launch.session_id]
    assert not resolve.isVisible()


def test_every_choice_asks_for_the_prompt_again(resolve, dialogs, qtbot):
    dialogs.preview(resolve)
    resolve.items.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert not resolve.go.isEnabled()
    assert dialogs.preview(resolve).choice.item_ids == tuple(item.id for item in ITEMS[1:])
    qtbot.mouseClick(resolve.findChild(QWidget, "resolve_scope_checks"), Qt.MouseButton.LeftButton)
    asked = dialogs.preview(resolve, choice=LaunchChoice(scope="checks", item_ids=("check:lint",)))
    assert (asked.choice.scope, asked.choice.item_ids) == ("checks", ())
    assert resolve.items.count() == 2
    qtbot.mouseClick(resolve.findChild(QWidget, "resolve_mode_full_auto"), Qt.MouseButton.LeftButton)
    assert dialogs.preview(resolve).choice.mode is PermissionMode.FULL_AUTO
    qtbot.keyClicks(resolve.instructions, "Keep it small.")
    assert not resolve.go.isEnabled(), "what was typed is not in the prompt yet"
    qtbot.waitUntil(lambda: dialogs.sent[-1].choice.instructions == "Keep it small.")
    dialogs.preview(resolve)
    assert resolve.go.isEnabled()


def test_full_auto_without_a_sandbox_asks_as_a_chat_does(dialogs, qtbot):
    engine = EngineFacts()
    resolve = ResolveDialog(LANE, LaunchChoice(scope="both"), dialogs.host, engine)
    resolve.open()

    def probed(level, *gaps):
        probes = tuple(ProbeResult(name=gap, outcome="failed", gap=gap) for gap in gaps)
        update = SandboxReported(report=SandboxReport(id="sbx_1", level=level, probes=probes, at=NOW))
        engine.hearing.take([update])
        dialogs.tell(resolve, update)

    def answer(name):
        (button,) = [one for one in resolve.findChildren(QAbstractButton, name) if one.isVisible()]
        button.click()

    dialogs.preview(resolve)
    probed("limited", "the network")
    sent = len(dialogs.sent)
    qtbot.mouseClick(resolve.findChild(QWidget, "resolve_mode_full_auto"), Qt.MouseButton.LeftButton)
    answer("full_auto_stay")
    assert len(dialogs.sent) == sent
    qtbot.mouseClick(resolve.findChild(QWidget, "resolve_mode_full_auto"), Qt.MouseButton.LeftButton)
    answer("full_auto_with_limited_sandbox")
    asked = dialogs.preview(resolve).choice
    assert (asked.mode, asked.without_sandbox) == (PermissionMode.FULL_AUTO, True)
    probed("none")
    assert not dialogs.sent[-1].choice.without_sandbox, "the word was for another sandbox"
    dialogs.preview(resolve, digest="", problem="Full auto needs a word.", asks_sandbox=True)
    answer("full_auto_stay")
    assert (dialogs.sent[-1].choice.mode, resolve.go.isEnabled()) == (PermissionMode.EDIT, False)


def test_why_it_cannot_begin_stands_beside_the_button(resolve, dialogs, qtbot):
    dialogs.preview(resolve, digest="", problem="push_lane is not offered in edit mode here.")
    assert resolve.findChild(QWidget, "resolve_state").text() == "push_lane is not offered in edit mode here."
    assert not resolve.go.isEnabled()
    resolve._ask()
    dialogs.preview(resolve)
    qtbot.mouseClick(resolve.go, Qt.MouseButton.LeftButton)
    launch = dialogs.sent[-1]
    changed = ResolutionPreview(command_id=launch.command_id, lane_id=LANE, prompt="Other", digest="e" * 64,
                                choice=launch.choice, items=ITEMS)  # fmt: skip
    dialogs.tell(
        resolve, changed, CommandFailed(command_id=launch.command_id, code="changed", text="Something changed.")
    )
    assert resolve.prompt.toPlainText() == "Other"
    assert resolve.go.isEnabled()


def test_how_rounds_go_is_saved(dialogs, qtbot):
    dialog = PipelineDialog(LANE, PipelineSettings(), dialogs.host)
    dialog.open()
    dialog.auto_round.click()
    dialog.max_rounds.setText("21")
    assert not dialog.go.isEnabled()
    dialog.max_rounds.setText("7")
    dialog.tokens.setText("500")
    qtbot.mouseClick(dialog.findChild(QWidget, "pipeline_method_squash"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    (command,) = dialogs.sent
    assert isinstance(command, SetPipeline)
    wanted = PipelineSettings(auto_round=True, max_rounds=7, round_token_limit=500_000, merge_method="squash")
    assert command.settings == wanted
    dialogs.tell(dialog, CommandFailed(command_id=command.command_id, code="x", text="Not kept."))
    assert dialog.findChild(QWidget, "lane_error").text() == "Not kept."
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    dialogs.tell(dialog, rounds().model_copy(update={"settings": wanted}))
    assert not dialog.isVisible()
