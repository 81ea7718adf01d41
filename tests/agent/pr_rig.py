"""An engine that is signed in to the GitHub stand-in, with a repository cloned from it and a lane on a branch of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr

from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.options import EngineOptions
from desktop.agent.pulls.book import PullBook
from desktop.config.folders import Folders
from desktop.config.settings import GitHubHost
from desktop.domain.commands import OpenProject
from desktop.domain.core.command import Command
from desktop.domain.github.commands import SignInWithToken
from desktop.domain.github.updates import SignInProgress
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import ShowPullRequest
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestChanged, PullTransition
from desktop.domain.updates import CommandFailed
from desktop.services.github.pace import Pace
from desktop.services.processes.sandbox.sandbox import Sandbox
from tests.agent.lane_ground import record
from tests.agent.rig import Rig, git, write_settings
from tests.fakes.github.control import RepoControl
from tests.fakes.github.stand_in import FakeGitHub
from tests.services.lane_place import add_lane

T = TypeVar("T")
SLUG = "octo/shop"
AT_ONCE = Pace(retry_s=(0.0,), write_every_s=0.0, settle_s=0.0)
LINES = "".join(f"line {number}\n" for number in range(1, 30))


def clone(github: FakeGitHub, folder: Path) -> tuple[RepoControl, Path]:
    """A repository at the stand-in and a person's checkout of it."""
    repo = github.add_repo(SLUG)
    repo.push("main", {"app.py": LINES})
    header = f"http.extraHeader=Authorization: Bearer {github.token}"
    git(folder.parent, "-c", header, "clone", "-q", repo.clone_url, folder.name)
    return repo, folder


def add_branch(checkout: Path, root: Path, name: str, number: int = 1) -> Lane:
    """A lane with one commit of its own."""
    base = git(checkout, "rev-parse", "HEAD").strip()
    lane = add_lane(checkout, root / name, name, number, "origin/main", base_oid=base)
    folder = Path(lane.worktree_path)
    (folder / "app.py").write_text(LINES.replace("line 3\n", f"line three of {name}\n"))
    git(folder, "commit", "-qam", f"Change line three for {name}")
    return lane


@dataclass
class Clock:
    """The engine's clock. `ahead`: how far a test moved it."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


class PullRig:
    """`rig`: the engine; `lane`: on branch `lane/<name>`, with one commit that is pushed nowhere."""

    def __init__(self, rig: Rig, github: FakeGitHub, repo: RepoControl, lane: Lane, clock: Clock) -> None:
        self.rig, self.github, self.repo, self.lane, self.clock = rig, github, repo, lane, clock
        self.folder = Path(lane.worktree_path)

    @property
    def book(self) -> PullBook:
        """How requests stand."""
        return self.rig.engine.parts.reviews.pulls.book

    async def send(self, command: Command) -> list[CommandFailed]:
        """Carry out a command; what failed of it."""
        await self.rig.engine.handle(command)
        return [failed for failed in self.rig.failures() if failed.command_id == command.command_id]

    async def answer(self, command: Command, kind: type[T]) -> T:
        """The answer to a command."""
        failed = await self.send(command)
        assert not failed, failed
        return next(u for u in reversed(self.rig.updates) if isinstance(u, kind))

    async def refused(self, command: Command) -> str:
        """The sentence of a command that was not carried out."""
        failed = await self.send(command)
        assert len(failed) == 1, failed
        return failed[0].text

    async def show(self) -> PullSnapshot:
        """Look at the lane's request."""
        await self.send(ShowPullRequest(lane_id=self.lane.id))
        return self.shown

    async def look(self) -> PullSnapshot:
        """Ask again, however short ago that was done."""
        await self.book.fresh(self.lane.id)
        return self.shown

    def told(self) -> int:
        """How often the window was told how the lane's request stands."""
        return sum(isinstance(u, PullRequestChanged) and u.snapshot.lane_id == self.lane.id for u in self.rig.updates)

    def transitions(self) -> list[str]:
        """What was told that a person should hear of."""
        return [update.text for update in self.rig.updates if isinstance(update, PullTransition)]

    @property
    def shown(self) -> PullSnapshot:
        """What the window was told last about the lane."""
        told = [u for u in self.rig.updates if isinstance(u, PullRequestChanged)]
        return [u.snapshot for u in told if u.snapshot.lane_id == self.lane.id][-1]

    def operations(self, *names: str) -> list[LaneOperationStarted | LaneOperationFinished]:
        """What was recorded of these operations, in order."""
        engine = self.rig.engine
        assert engine.project is not None
        log = engine._store.events.read(project_log_id(engine.project.id))
        kinds = (LaneOperationStarted, LaneOperationFinished)
        return [e.event for e in log if isinstance(e.event, kinds) and e.event.operation in names]

    def publish(self, branch: str = "") -> str:
        """Push the lane's branch past the engine; the commit."""
        header = f"http.extraHeader=Authorization: Bearer {self.github.token}"
        git(self.folder, "-c", header, "push", "-q", "-u", "origin", branch or self.lane.branch)
        return git(self.folder, "rev-parse", "HEAD").strip()

    def commit(self, text: str, message: str = "More") -> str:
        """One more commit in the lane."""
        (self.folder / "more.txt").write_text(text)
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", message)
        return git(self.folder, "rev-parse", "HEAD").strip()


async def pull_rig(
    github: FakeGitHub, folders: Folders, tmp_path: Path, model_url: str = "http://127.0.0.1:9", *,
    sign_in: bool = True, before: Callable[[Path, Lane], None] = lambda checkout, lane: None, pace: Pace = AT_ONCE,
    sandbox: Sandbox | None = None, **settings: object,
) -> PullRig:  # fmt: skip
    """An engine on a clone. `before`: is run before the engine starts; `sandbox`: in place of this machine's."""
    repo, checkout = clone(github, tmp_path / "shop")
    lane = add_branch(checkout, tmp_path / "lanes", "fix")
    before(checkout, lane)
    record(folders, lane)
    host = GitHubHost(host=github.host)
    write_settings(folders, model_url, github=(host,), **settings)
    clock = Clock()
    rig = Rig(folders, EngineOptions(github_pace=pace, sandbox=sandbox), clock.now)
    await rig.engine.start()
    await rig.engine.handle(OpenProject(path=str(checkout)))
    if sign_in:
        await signed_in(rig, github)
    return PullRig(rig, github, repo, lane, clock)


async def signed_in(rig: Rig, github: FakeGitHub) -> None:
    """Use the stand-in's own token."""
    await rig.engine.handle(SignInWithToken(host=github.host, token=SecretStr(github.token)))
    steps = [u.step for u in rig.updates if isinstance(u, SignInProgress)]
    assert steps[-1] == "done", [u for u in rig.updates if isinstance(u, SignInProgress)]
