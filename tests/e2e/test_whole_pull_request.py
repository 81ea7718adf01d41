"""The whole way of a change in one window: an agent's commit, its request, a round of fixes, proofs, merge, archive."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QPushButton

from desktop.domain.proofs.block import BEGIN, END
from desktop.ui.proofs.grid import ProofsGrid
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.sidebar.tree_model import DETAIL_ROLE
from tests.agent.rig import git
from tests.e2e.conftest import Desk, takes_presses
from tests.e2e.test_pull_requests import forge as forge
from tests.e2e.test_pull_requests import sign_in
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn
from tests.fakes.github.changes import Pushed
from tests.fakes.github.control import PullControl, RepoControl
from tests.fakes.github.model import Thread, WorkflowRun
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.model_turns import Turn

pytestmark = [pytest.mark.qt_log_ignore("This plugin does not support"), pytest.mark.timeout(180)]

WRONG, RIGHT = "def total():\n    return 43\n", "def total():\n    return 42  # the sum of both\n"
CHECK = "python3 -B -c 'import app; assert app.total() == 42'"
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAIAAACDRijCAAAAI0lEQVR42mM8IWfDQA3AxEAlMGrQUDSIUSTqxGgYjRpEKQAANTgCd1B23BoAAAAASUVO"
    "RK5CYII="
)
PAINT = f'echo {PNG} | base64 -d > "$TMPDIR/total.png"; echo "picture: $TMPDIR/total.png"'
WISH = "Keep the name of the function: naïve callers use it → ask before you change it."
SECONDS, AGAIN_S = 40, 2.0
Step = Turn | Callable[[RecordedRequest], Turn]


@dataclass
class Scene:
    """What the stages share: the window, the two services, and what has come of it so far."""

    desk: Desk
    api: FakeModelApi
    github: FakeGitHub
    forge: RepoControl
    steps: list[Step] = field(default_factory=list)
    runs: list[WorkflowRun] = field(default_factory=list)

    def play(self, *steps: Step) -> None:
        """What the model answers from now on; a step may be made of the request that it answers."""
        self.steps = list(steps)
        self.api.answer_with(self._next)

    def _next(self, request: RecordedRequest) -> Turn:
        step = self.steps.pop(0)
        return step if isinstance(step, Turn) else step(request)

    def allow_all(self, last: str) -> list[str]:
        """Allow each card once, by a click, until the agent has said its last words; the titles of the cards."""
        titles: list[str] = []
        while True:
            self.desk.until(
                lambda: self.desk.find("approval_card") is not None or last in self.desk.transcript_text(),
                f"a card after {titles}, or {last!r}",
            )
            card = self.desk.find("approval_card")
            if card is None:
                self.desk.idle()
                return titles
            titles.append(self.words("approval_title"))
            self._allow(str(card.property("item_id")), titles[-1])

    def _allow(self, item_id: str, title: str) -> None:
        """Press until the press counts: a card that moved, or whose window is not the active one, takes none."""
        end = monotonic() + SECONDS
        while not self._answered(item_id):
            assert monotonic() < end, f"{title} takes no answer: {self.desk.transcript_text()[-300:]}"
            self.desk.window.activateWindow()
            button = self.desk.find("approval_allow_once")
            if button is not None and takes_presses(button) and not self._answered(item_id):
                QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            QTest.qWait(50)

    def _answered(self, item_id: str) -> bool:
        card = self.desk.find("approval_card")
        return card is None or card.property("item_id") != item_id

    def refresh_until(self, true: Callable[[], bool], what: str) -> None:
        """Press Refresh, again and again: GitHub is asked at most every five seconds."""
        end = monotonic() + SECONDS
        while monotonic() < end:
            self.desk.click("pr_refresh")
            again = monotonic() + AGAIN_S
            while monotonic() < again:
                if true():
                    return
                QTest.qWait(20)
        raise AssertionError(f"did not come about: {what}")

    def tab(self, key: Qt.Key) -> None:
        """Show a tab of the inspector by its key; after a dialog a window manager would make the window active."""
        self.desk.window.activateWindow()
        self.desk.until(self.desk.window.isActiveWindow, "an active window")
        QTest.keyClick(self.desk.window, key, Qt.KeyboardModifier.AltModifier)

    def words(self, name: str) -> str:
        """What a widget says, "" while it is not there."""
        found = self.desk.find(name)
        if isinstance(found, QPlainTextEdit):
            return found.toPlainText()
        return found.text() if isinstance(found, QLabel | QAbstractButton | QLineEdit) else ""

    @property
    def panel(self) -> PullPanel:
        found = self.desk.window.findChild(PullPanel)
        assert isinstance(found, PullPanel)
        return found

    @property
    def lane_id(self) -> str:
        """Of the one lane."""
        [lane] = [one for one in self.desk.window.book.lanes if one.type != "primary"]
        return lane.id

    @property
    def row(self) -> str:
        """The second line of the lane's row at the left."""
        return str(self.desk.window.sidebar.model.find(f"lane:{self.lane_id}").data(DETAIL_ROLE))


def test_a_change_goes_all_the_way_from_a_commit_to_an_archived_lane(
    start: Callable[[], Desk], model_api: FakeModelApi, github: FakeGitHub, forge: RepoControl, repository: Path
) -> None:
    before = git(repository, "rev-parse", "HEAD")
    forge.collaborator("mona")
    scene = Scene(start(), model_api, github, forge)
    github.on_push(lambda push: run_checks(scene, push))
    sign_in(scene.desk, github)
    folder = commit(scene)
    pull = open_request(scene, folder)
    threads = find_fault(scene, pull)
    prompt = launch(scene, threads)
    play_round(scene, threads)
    work_through(scene, prompt, threads)
    see_it_done(scene, pull, threads, folder)
    publish(scene, pull)
    merge(scene, pull, folder)
    archive(scene, folder)
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "status", "--porcelain")) == (before, "")


def run_checks(scene: Scene, push: Pushed) -> None:
    """What runs on the lane's branch: its test fails at first; what deploys it fails once, and not of the change."""
    if push.branch.startswith("lane/") and push.after is not None:
        ends = {"test": "success", "deploy": "failure"} if scene.runs else {"test": "failure"}
        scene.runs.append(scene.forge.workflow(push.after, ends))


def commit(scene: Scene) -> Path:
    """An agent commits in a new lane; the lane's folder."""
    scene.play(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content=WRONG),
        tool_turn("commit_changes", message="Count right"),
        text_turn("It is committed."),
    )
    scene.desk.send("Fix the total")
    assert scene.allow_all("It is committed.") == []
    [lane] = [one for one in scene.desk.window.book.lanes if one.type != "primary"]
    folder = Path(lane.worktree_path)
    assert git(folder, "log", "-1", "--format=%s").strip() == "Count right"
    assert git(folder, "status", "--porcelain") == ""
    return folder


def open_request(scene: Scene, folder: Path) -> PullControl:
    """Open a request from the window's dialog."""
    desk = scene.desk
    scene.tab(Qt.Key.Key_2)
    desk.click("pr_create")
    desk.until(lambda: scene.words("pr_title") == "Count right", "the planned title")
    draft = desk.see("pr_draft")
    assert isinstance(draft, QCheckBox)
    draft.setChecked(False)
    desk.until(desk.see("pr_submit").isEnabled, "the button")
    desk.click("pr_submit")
    desk.until(lambda: scene.words("pr_heading") == "Count right #1", "the request")
    pull = scene.forge.pull(1)
    head = git(folder, "rev-parse", "HEAD").strip()
    assert (pull.state, pull.value.title, pull.head_sha) == ("open", "Count right", head)
    assert scene.forge.head(pull.value.head) == head
    assert git(folder, "rev-parse", "@{upstream}").strip() == head
    return pull


def find_fault(scene: Scene, pull: PullControl) -> tuple[Thread, Thread]:
    """A check fails, and two people find fault with it."""
    first = pull.thread("app.py", 2, "**Is it not 42?** See the café's bill.", by="mona")
    second = pull.thread("app.py", 2, "[nit] Say where it comes from.", by="coderabbitai[bot]")
    scene.refresh_until(
        lambda: (scene.words("pr_chip_checks"), scene.words("pr_chip_threads")) == ("1 failing", "2 open threads"),
        "the check and the threads",
    )
    scene.desk.until(lambda: "checks 0/1" in scene.row, "the check in the lane's row")
    return first, second


def launch(scene: Scene, threads: tuple[Thread, Thread]) -> str:
    """Begin a round from the page of checks, with the threads too; the prompt that was shown."""
    desk = scene.desk
    scene.panel.show_page("checks")
    desk.until(desk.see("pr_checks_fix").isEnabled, "something to fix")
    desk.click("pr_checks_fix")
    desk.click("resolve_scope_both")
    desk.until(lambda: all(one.node_id in scene.words("resolve_prompt") for one in threads), "both threads")
    wish = desk.see("resolve_instructions")
    assert isinstance(wish, QPlainTextEdit)
    wish.setPlainText(WISH)
    go = desk.see("resolve_launch")
    desk.until(lambda: WISH in scene.words("resolve_prompt") and go.isEnabled(), "the prompt with the wish")
    prompt = scene.words("resolve_prompt")
    assert "See the café's bill." in prompt
    assert "Failing check" in prompt
    return prompt


def play_round(scene: Scene, threads: tuple[Thread, Thread]) -> None:
    """What the model does in the round."""
    talk = [
        tool_turn(name, thread_id=thread.node_id, **more)
        for thread, body in zip(threads, ("It is 42 now.", "A comment says so."), strict=True)
        for name, more in (("pr_reply_to_review_thread", {"body": body}), ("pr_resolve_review_thread", {}))
    ]
    scene.play(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content=RIGHT),
        tool_turn("bash", command=CHECK),
        tool_turn("commit_changes", message="Count to 42"),
        tool_turn("push_lane"),
        *talk,
        tool_turn("pr_rerun_failed_checks"),
        lambda _request: paint(scene),
        attach,
        report,
        text_turn("One bounded round is done."),
    )


def paint(scene: Scene) -> Turn:
    """The check that ran again passes; the agent makes a picture."""
    scene.forge.finish(scene.runs[-1].latest_jobs[1].check, "success")
    return tool_turn("bash", command=PAINT)


def attach(request: RecordedRequest) -> Turn:
    """The agent shows the picture that its command named."""
    [path] = re.findall(r"picture: (/\S+\.png)", said(request))
    return tool_turn("attach_proof", path=path, title="The total", description="It is 42.")


def report(request: RecordedRequest) -> Turn:
    """The agent claims what a command showed, its proof, and the request."""
    [proof_id] = set(re.findall(r"\bpf_\w+", said(request)))
    claims = [
        {"text": "the total is 42", "kind": "command", "command": CHECK},
        {"text": "there is a picture", "kind": "proof", "proof_id": proof_id},
        {"text": "it is proposed", "kind": "pr", "pr": 1},
    ]
    return tool_turn("report_completion", summary="The total is right.", status="completed", claims=claims)


def said(request: RecordedRequest) -> str:
    """The result that the model was given last."""
    [block] = request.messages[-1]["content"]
    assert not block.get("is_error"), block
    content = block["content"]
    return content if isinstance(content, str) else str(content)


def work_through(scene: Scene, prompt: str, threads: tuple[Thread, Thread]) -> None:
    """Launch it and allow what it asks for, card by card, in edit mode."""
    desk, earlier = scene.desk, len(scene.api.requests)
    desk.click("resolve_launch")
    toasts = lambda: [one for one in desk.window.notes.area.toasts if one.text.text() == "The round has begun."]  # noqa: E731
    desk.until(lambda: bool(toasts()), "the offer to open the chat")
    open_chat = toasts()[0].findChild(QPushButton, "toast_action")
    assert open_chat is not None
    QTest.mouseClick(open_chat, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.window.page.facts.title == "PR #1 round 1", "the chat of the round")
    titles = scene.allow_all("One bounded round is done.")
    said_of = [f"{what} review thread {one.node_id}?" for one in threads for what in ("Reply in", "Resolve")]
    assert titles == [
        "Run a command in fix-the-total?", "Push this lane's branch?", *said_of, "Run all failed checks again?",
        "Run a command in fix-the-total?",
    ]  # fmt: skip
    first = scene.api.requests[earlier].messages[0]["content"]
    sent = first if isinstance(first, str) else first[0]["text"]
    assert sent.encode() == prompt.encode(), "what was shown is what was sent"


def see_it_done(scene: Scene, pull: PullControl, threads: tuple[Thread, Thread], folder: Path) -> None:
    """What the round did stands in the window and at GitHub."""
    desk, head = scene.desk, git(folder, "rev-parse", "HEAD").strip()
    assert git(folder, "log", "-1", "--format=%s").strip() == "Count to 42"
    assert (pull.head_sha, git(folder, "status", "--porcelain")) == (head, "")
    assert [[one.body for one in thread.comments][1:] for thread in threads] == [
        ["It is 42 now."], ["A comment says so."],
    ]  # fmt: skip
    assert all(thread.resolved_by is not None for thread in threads)
    assert scene.runs[-1].attempt == 2
    desk.until(lambda: "Completed · 3 of 3 claims proved" in desk.transcript_text(), "proved claims")
    scene.refresh_until(
        lambda: (scene.words("pr_chip_checks"), scene.words("pr_chip_threads")) == ("2 checks passed", ""),
        "green checks and no open thread",
    )
    desk.until(lambda: scene.row.startswith("done"), "a lane that is done")


def publish(scene: Scene, pull: PullControl) -> None:
    """The proof and the evidence go into the text of the request, as they were shown."""
    desk, body = scene.desk, pull.value.body
    scene.tab(Qt.Key.Key_3)
    grid = desk.see("proofs_grid")
    assert isinstance(grid, ProofsGrid)
    desk.until(lambda: grid.model().rowCount() == 1, "the proof")
    place = grid.visualRect(grid.model().index(0, 0)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    desk.until(desk.see("proof_publish").isEnabled, "the button")
    desk.click("proof_publish")
    desk.see("proof_publish_dialog")
    text = scene.words("proof_publish_text")
    assert text.startswith(BEGIN)
    assert text.rstrip().endswith(END)
    assert "| The total | Screenshot |" in text
    assert f"| {CHECK} | 0 |" in text
    desk.click("proof_publish_post")
    desk.until(lambda: BEGIN in (pull.value.body or ""), "the text at GitHub")
    assert pull.value.body == f"{body}\n\n{text}"


def merge(scene: Scene, pull: PullControl, folder: Path) -> None:
    """Merge it from the dialog, and delete its branch there."""
    desk = scene.desk
    branch = git(folder, "rev-parse", "--abbrev-ref", "HEAD").strip()
    scene.tab(Qt.Key.Key_2)
    desk.until(lambda: scene.words("pr_main") == "Merge…" and desk.see("pr_main").isEnabled(), "the main action")
    desk.click("pr_main")
    desk.until(lambda: scene.words("pr_merge_confirm") != "" and desk.see("pr_merge_confirm").isEnabled(), "the plan")
    assert scene.words("pr_merge_evidence") == "Completed: 3 of 3 claims proved."
    desk.click("pr_merge_delete")
    desk.click("pr_merge_confirm")
    desk.see("pr_merged_archive")
    assert (pull.state, scene.forge.head(branch)) == ("merged", None)
    assert git(scene.forge.value.git.folder, "show", "main:app.py") == RIGHT


def archive(scene: Scene, folder: Path) -> None:
    """Take the offer to archive the lane."""
    desk = scene.desk
    desk.click("pr_merged_archive")
    desk.click("lane_archive_go")
    desk.until(lambda: desk.window.lane_host.lane(scene.lane_id).state == "archived", "an archived lane")
    assert (folder / "app.py").read_text() == RIGHT
