"""Scenes of pull requests, with a GitHub of our own on 127.0.0.1: the tab's pages, its states, its dialogs."""

import importlib
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit

from desktop.domain.github.commands import SaveGitHubHost, SignInWithToken
from desktop.domain.github.updates import SignInProgress
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import RefreshPullRequest
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.ui.pulls.pages.checks import PullChecks
from desktop.ui.pulls.pages.overview import PullOverview
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.window.inspector import Inspector
from tests.fakes.fake_model_api import text_turn
from tests.fakes.github import faults
from tests.fakes.github.control import PullControl, RepoControl
from tests.fakes.github.model import Annotation, Step
from tests.screens.samples import NEW, OLD, TASK, TEST
from tests.screens.stage import NOW, Stage

if TYPE_CHECKING:
    from tests.fakes.github.stand_in import FakeGitHub

SLUG = "octo/shop-api"
MIDDLEWARE = "auth/middleware.py"
BODY = (
    "## Summary\n\nThe middleware clears the cookie but keeps `next`, so each redirect adds it again. It is taken out "
    "**once**, before the redirect.\n\n- `strip_next` drops the parameter\n- a test walks three redirects\n\n"
    "## Validation\n\n| Command | Result |\n|---|---|\n| `pytest tests/test_login.py` | passed |\n\n"
    "![The loop](https://example.org/loop.png)\n"
)
_WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Robin"), ("EMAIL", "robin@example.org"))
}


def _git(folder: Path | str, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **_WHO}, check=True, capture_output=True, text=True
    )
    return done.stdout


def _log() -> str:
    """What a job printed, step by step, in the manner of GitHub's runners."""
    at = NOW - timedelta(minutes=50)

    def line(seconds: int, text: str) -> str:
        return f"{at + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}.1234567Z {text}"

    rows = [line(1, f"Current runner version: '2.330.{n}'") for n in range(3)]
    rows += [line(2, "##[group]Run actions/checkout@v5"), line(2, "with:"), line(2, "##[endgroup]")]
    rows += [line(3, "##[group]Run pytest -q"), line(3, "##[endgroup]")]
    rows += [line(3, f"\x1b[32mtests/test_{n:02}.py ....\x1b[0m [{n * 3:3}%]") for n in range(30)]
    rows += [
        line(3, "\x1b[1m\x1b[31mE   AssertionError: assert 3 == 1\x1b[0m"),
        line(3, "FAILED tests/test_login.py::Redirects::test_an_expired_session - assert 3 == 1"),
        line(3, "##[error]Process completed with exit code 1."), line(4, "Post job cleanup."),
    ]  # fmt: skip
    return "\n".join(rows) + "\n"


class Forge:
    """The repository of the scene at a GitHub of its own, to which the window is signed in."""

    def __init__(self, stage: Stage) -> None:
        made = importlib.import_module("tests.fakes.github.stand_in")
        folder = stage.home / "github"
        number = 0
        while folder.exists():
            number += 1
            folder = stage.home / f"github-{number}"
        self.stage = stage
        self.github: FakeGitHub = made.FakeGitHub(folder)
        self.at(hours=3)
        project = stage.window.engine.project
        assert project is not None
        self.root = Path(project.path)
        self.repo: RepoControl = self.github.add_repo(SLUG, private=False, empty=True)
        self.repo.take(self.root, by="octo")
        _git(self.root, "remote", "add", "origin", self.repo.clone_url)
        self._git(self.root, "fetch", "-q", "origin")
        self.lane: Lane | None = None

    def at(self, **ago: float) -> None:
        """The time at this GitHub: so long before 14:02."""
        wanted = NOW - timedelta(**ago)
        self.github.advance((wanted - self.github.world.now()).total_seconds())
        assert abs((self.github.world.now() - wanted).total_seconds()) < 5, datetime.now(UTC)

    async def sign_in(self) -> None:
        """As a person does in the settings."""
        self.stage.send(SaveGitHubHost(host=self.github.host))
        self.stage.send(SignInWithToken(host=self.github.host, token=SecretStr(self.github.token)))
        done = lambda: any(isinstance(u, SignInProgress) and u.step == "done" for u in self.stage.updates)  # noqa: E731
        await self.stage.until(done, "the sign-in")

    async def work(self) -> Lane:
        """A lane with a chat and two commits."""
        stage = self.stage
        chat = await stage.chat(TASK, text_turn("The loop is gone. A test covers it."), title="Fix login redirect loop")
        await stage.ended(chat)
        lane_id = stage.window.book.facts(chat).lane_id
        lane = next(lane for lane in stage.window.book.lanes if lane.id == lane_id)
        folder = Path(lane.worktree_path)
        text = (folder / MIDDLEWARE).read_text(encoding="utf-8")
        for subject, name, content in (
            ("Stop redirecting the login page to itself", MIDDLEWARE, text.replace(OLD, NEW)),
            ("Test the redirects", "tests/test_redirects.py", TEST),
        ):
            (folder / name).write_text(content, encoding="utf-8")
            _git(folder, "add", "-A")
            _git(folder, "commit", "-q", "-m", subject)
        self.lane = lane
        return lane

    def open(self, *, draft: bool = False) -> PullControl:
        """Push the lane's branch and open a request for it."""
        assert self.lane is not None
        self._git(Path(self.lane.worktree_path), "push", "-q", "-u", "origin", self.lane.branch)
        return self.repo.open_pull(
            self.lane.branch, title="Stop the login page redirecting to itself", body=BODY, draft=draft, by="octo"
        )

    async def shown(self, found: Callable[[PullSnapshot], object] = lambda _snapshot: True) -> PullPanel:
        """The tab, once it shows a snapshot of which this is true."""
        assert self.lane is not None
        await self.stage.show_tab("PR")
        panel = panel_of(self.stage)
        self.stage.send(RefreshLanes(lane_ids=(self.lane.id,)))
        await self.stage.until(lambda: panel.shown.snapshot is not None and found(panel.shown.snapshot), "the request")
        await self.stage.rest(0.3)
        return panel

    def close(self) -> None:
        """End the server."""
        self.github.close()

    def _git(self, folder: Path, *arguments: str) -> None:
        header = f"http.extraHeader=Authorization: Bearer {self.github.token}"
        _git(folder, "-c", header, *arguments)


def panel_of(stage: Stage) -> PullPanel:
    """The PR tab."""
    inspector = stage.shown("inspector")
    assert isinstance(inspector, Inspector)
    return inspector.of(PullPanel)


async def _reviewed(stage: Stage) -> tuple[Forge, PullControl]:
    """A request with failing checks, threads, comments and a review."""
    forge = Forge(stage)
    await forge.sign_in()
    await forge.work()
    forge.at(hours=3)
    pull = forge.open(draft=False)
    forge.github.add_account("coderabbitai[bot]", kind="Bot")
    for login in ("mona", "hubot"):
        forge.repo.collaborator(login)
    forge.at(hours=2)
    pull.comment("Can you say in the description how to try it?", by="mona")
    forge.at(hours=1)
    thread = pull.thread(
        MIDDLEWARE, 12, "**P1: this still loops when `next` is empty.**\n\nAn empty `next` gives `login()` again.",
        by="mona",
    )  # fmt: skip
    pull.thread("tests/test_redirects.py", 3, "[nit] Say which session expired.", by="coderabbitai[bot]")
    done = pull.thread("tests/test_redirects.py", 1, "Typo: *redirekt*.", by="mona")
    pull.resolve(done, by="octo")
    pull.review("CHANGES_REQUESTED", "One loop is left, see the thread.", by="mona")
    forge.at(minutes=51)
    run = forge.repo.workflow(
        pull.head_sha, {"tests (3.11)": "failure", "tests (3.12)": "success", "lint": "success", "docs": "skipped"},
        log=_log(),
    )  # fmt: skip
    for job in run.jobs:
        job.steps = [Step("Set up job"), Step("Run actions/checkout@v5"), Step("Run pytest -q", job.check.conclusion),
                     Step("Post Run actions/checkout@v5")]  # fmt: skip
    run.jobs[0].check.annotations = [
        Annotation("tests/test_redirects.py", 7, "assert 3 == 1", title="test_an_expired_session"),
        Annotation(MIDDLEWARE, 12, "Unused variable 'target'", "warning"),
    ]
    forge.repo.check(pull.head_sha, "preview", None, app="deploy-bot")
    forge.at(minutes=30)
    pull.reply(thread, "Good catch, I will add a test.", by="octo")
    pull.request_review("hubot")
    forge.at()
    return forge, pull


async def pr_pages(stage: Stage) -> AsyncIterator[str]:
    """76"""
    forge, _pull = await _reviewed(stage)
    panel = await forge.shown(lambda found: len(found.known) == 7)
    yield "76-pr-overview"
    panel.show_page("checks")
    await stage.until(lambda: panel.pages.of(PullChecks).detail._steps.rows, "the steps")
    await stage.rest(0.3)
    yield "76-pr-checks"
    panel.pages.of(PullChecks).detail.choose_view("notes")
    await stage.rest(0.2)
    yield "76-pr-annotations"
    panel.pages.of(PullChecks).detail.choose_view("log")
    await stage.until(lambda: panel.pages.of(PullChecks).detail.log.model.rowCount(), "the log")
    await stage.rest(0.3)
    yield "76-pr-log"
    panel.pages.of(PullChecks).detail.log.toggle_large()
    await stage.find("pr_log_dialog")
    await stage.rest(0.3)
    yield "76-pr-log-large"
    panel.pages.of(PullChecks).detail.log.toggle_large()
    panel.show_page("threads")
    await stage.rest(0.3)
    yield "76-pr-threads"
    await stage.type("pr_thread_reply", "Fixed with the next commit.")
    await stage.rest(0.2)
    yield "76-pr-reply"
    panel.show_page("comments")
    await stage.rest(0.3)
    yield "76-pr-comments"
    panel.show_page("files")
    await stage.rest(0.2)
    yield "76-pr-files"
    panel.show_page("commits")
    await stage.rest(0.2)
    yield "76-pr-commits"
    panel.show_page("overview")
    panel.pages.of(PullOverview).edit()
    await stage.rest(0.2)
    yield "76-pr-edit"
    forge.close()


async def pr_states(stage: Stage) -> AsyncIterator[str]:
    """77"""
    forge = Forge(stage)
    stage.send(SaveGitHubHost(host=forge.github.host))
    await forge.work()
    panel = await forge.shown()
    yield "77-pr-not-connected"
    await stage.rest(5.2)  # asked at most once in 5 s
    _git(forge.root, "remote", "set-url", "origin", "https://gitlab.com/octo/shop-api.git")
    panel.ask_again()
    await stage.rest(0.6)
    yield "77-pr-other-host"
    _git(forge.root, "remote", "remove", "origin")
    await stage.rest(5.2)
    panel.ask_again()
    await stage.rest(0.6)
    yield "77-pr-no-remote"
    _git(forge.root, "remote", "add", "origin", forge.repo.clone_url)
    forge._git(forge.root, "fetch", "-q", "origin")
    await forge.sign_in()
    forge.open(draft=True)
    await stage.rest(5.2)
    forge.github.fail(faults.slow(12.0))
    panel.ask_again()
    await stage.rest(1.0)
    yield "77-pr-loading"
    await stage.until(lambda: panel.shown.pull, "the request")
    await stage.rest(5.2)
    forge.github.fail(faults.offline(), times=None)
    panel.ask_again()
    await stage.until(lambda: panel.shown.snapshot is not None and panel.shown.snapshot.problem, "no connection")
    await stage.rest(0.3)
    yield "77-pr-offline"
    forge.github.heal()
    forge.github.fail(faults.rate_limited(int((NOW + timedelta(minutes=28)).timestamp())), times=None)
    await stage.rest(5.2)
    stage.send(RefreshPullRequest(lane_id=panel.shown.lane_id))
    await stage.until(
        lambda: panel.shown.snapshot is not None and panel.shown.snapshot.problem is not None
        and panel.shown.snapshot.problem.kind == "rate_limited", "the limit",
    )  # fmt: skip
    await stage.rest(0.3)
    yield "77-pr-rate-limited"
    forge.close()


async def pr_create(stage: Stage) -> AsyncIterator[str]:
    """78"""
    forge = Forge(stage)
    await forge.sign_in()
    lane = await forge.work()
    Path(lane.worktree_path, "notes.txt").write_text("to do\n", encoding="utf-8")
    forge.repo.push("main", {"SHOP.md": "# Shop\n"}, "Describe the shop", by="mona")
    forge._git(forge.root, "fetch", "-q", "origin")
    panel = await forge.shown()
    await stage.until(lambda: panel.none.hindrances.hindrances, "the hindrances")
    await stage.rest(0.3)
    yield "78-pr-none"
    await stage.click("pr_create")
    await stage.until(lambda: stage.shown("pr_where"), "the plan")
    await stage.rest(0.3)
    yield "78-pr-create-hindered"
    tick = await stage.find("pr_create_hindrance_tick_dirty")
    assert isinstance(tick, QCheckBox)
    tick.setChecked(True)
    body = await stage.find("pr_body")
    assert isinstance(body, QPlainTextEdit)
    body.setPlainText(BODY)
    await stage.click("pr_body_view_preview")
    await stage.rest(0.2)
    yield "78-pr-create-preview"
    await stage.click("pr_create_dialog_cancel")
    forge.close()


async def pr_merge(stage: Stage) -> AsyncIterator[str]:
    """79"""
    forge, pull = await _reviewed(stage)
    await forge.shown(lambda found: len(found.known) == 7)
    await stage.click("pr_main")
    await stage.find("pr_merge_method")
    await stage.rest(0.3)
    yield "79-pr-merge-blocked"
    for kind in ("bypass", "open_threads"):
        tick = await stage.find(f"pr_merge_hindrance_tick_{kind}")
        assert isinstance(tick, QCheckBox)
        tick.setChecked(True)
    number = await stage.find("pr_merge_number")
    assert isinstance(number, QLineEdit)
    number.setText(str(pull.number))
    await stage.rest(0.2)
    yield "79-pr-merge-typed"
    await stage.click("pr_merge_dialog_cancel")
    pull.review("APPROVED", "Fine now.", by="mona")
    for thread in pull.value.threads:
        pull.resolve(thread, by="octo")
    forge.repo.workflow(pull.head_sha, {"tests (3.11)": "success"})
    forge.repo.check(pull.head_sha, "preview", app="deploy-bot")
    await stage.rest(5.2)
    panel_of(stage).ask_again()
    panel = await forge.shown(lambda found: found.review == "approved" and not found.failing and not found.pending)
    await stage.click("pr_main")
    await stage.until(lambda: _enabled(stage, "pr_merge_confirm"), "a merge that is ready")
    await stage.rest(0.3)
    yield "79-pr-merge-ready"
    await stage.click("pr_merge_confirm")
    await stage.find("pr_merged_archive")
    await stage.rest(0.3)
    yield "79-pr-merged"
    await stage.click("pr_merge_dialog_cancel")
    await stage.until(lambda: panel.shown.pull is not None and panel.shown.pull.state == "merged", "the merge")
    await stage.rest(0.3)
    yield "79-pr-merged-tab"
    forge.close()


def _enabled(stage: Stage, name: str) -> bool:
    widget = stage.shown(name)
    return widget is not None and widget.isEnabled()


async def pr_list(stage: Stage) -> AsyncIterator[str]:
    """80"""
    forge = Forge(stage)
    await forge.sign_in()
    await forge.work()
    forge.open(draft=True)
    forge.repo.collaborator("mona")
    for number, title in enumerate(("Round prices up", "Describe the retries", "Bump sqlglot to 30")):
        forge.at(hours=30 - 9 * number)
        forge.repo.push(f"mona/{number}", {f"new-{number}.md": "# New\n"}, title, by="mona")
        other = forge.repo.open_pull(f"mona/{number}", title=title, by="mona")
        if not number:
            other.request_review("octo")
    forge.at()
    panel = await forge.shown(lambda found: found.pull)
    panel.shown.act_asked.emit("list")
    await stage.until(lambda: stage.shown("pr_list_rows"), "the list")
    await stage.rest(0.3)
    yield "80-pr-list"
    await stage.click("pr_list_close")
    panel.shown.act_asked.emit("link")
    await stage.find("pr_link_dialog")
    await stage.rest(0.2)
    yield "80-pr-link"
    await stage.click("pr_link_dialog_cancel")
    panel.shown.act_asked.emit("close")
    await stage.find("pr_state_dialog")
    await stage.rest(0.2)
    yield "80-pr-close-asks"
    await stage.click("pr_state_cancel")
    forge.close()
