"""A lane's pull request as a person sees it: looked up, told once, kept while GitHub cannot be reached."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from desktop.agent.engine import EngineOptions
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.claims import PullClaims
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.github.commands import SignInWithToken
from desktop.domain.lanes.events import LaneOperationStarted
from desktop.domain.pulls.commands import (
    ChooseRemote,
    LinkPullRequest,
    PullWindowSeen,
    RefreshPullRequest,
    ShowPullRequest,
)
from desktop.domain.pulls.pull_request import PullLink
from desktop.domain.pulls.transitions import checks_outcome
from desktop.domain.pulls.updates import PullRequestChanged
from tests.agent.pr_rig import AT_ONCE, PullRig, pull_rig, signed_in
from tests.agent.rig import Rig, folders_below, git
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path)
    yield made
    await made.rig.engine.stop()


async def test_a_request_is_found_by_its_branch_and_shown_with_all_its_parts(pulls: PullRig) -> None:
    none = await pulls.show()
    assert (none.pull, none.problem, none.viewer) == (None, None, "octo")
    assert (none.known, none.repository and none.repository.slug) == ({"pull"}, "octo/shop")
    head = pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch, title="Fix line three", draft=True)
    pulls.repo.workflow(head, jobs={"unit": "failure", "lint": "success"})
    pulls.repo.check(head, "preview", None)
    pull.comment("Nice", by="mona")
    thread = pull.thread("app.py", 3, "Why three?")
    pull.review("CHANGES_REQUESTED", "See the thread")
    found = await pulls.look()
    assert found.pull is not None
    assert (found.pull.number, found.pull.title, found.pull.state, found.pull.head_oid) == (
        1, "Fix line three", "draft", head,
    )  # fmt: skip
    assert found.known == {"pull", "checks", "threads", "comments", "reviews", "files", "commits"}
    assert ([c.name for c in found.failing], [c.name for c in found.pending]) == (["unit"], ["preview"])
    told = [(t.id, t.path, t.comments[0].body) for t in found.open_threads]
    assert told == [(thread.node_id, "app.py", "Why three?")]
    assert [c.body for c in found.comments] == ["Nice"]
    assert (found.review, [f.path for f in found.files], len(found.commits)) == ("changes_requested", ["app.py"], 1)
    assert pulls.book.link(pulls.lane.id).number == 1
    assert pulls.rig.engine.parts.base.ground.lanes.get(pulls.lane.id).pr_number == 1
    await pulls.rig.until(lambda updates: pulls.shown.pull and pulls.shown.pull.mergeable != "unknown")
    assert pulls.transitions() == [], "nothing is told of the first look"


async def test_one_window_that_closes_its_tab_takes_nothing_from_another(pulls: PullRig) -> None:
    pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    for viewer in ("one", "two", "two"):
        await pulls.send(ShowPullRequest(lane_id=pulls.lane.id, viewer=viewer))
    await pulls.send(ShowPullRequest(lane_id=pulls.lane.id, shown=False, viewer="one"))
    told = pulls.told()
    await pulls.look()
    assert pulls.told() == told + 1, "what is on screen is told at every look"
    await pulls.send(ShowPullRequest(lane_id=pulls.lane.id, shown=False, viewer="two"))
    await pulls.look()
    assert pulls.told() == told + 1


async def test_changes_are_told_once_and_what_did_not_change_is_not_drawn_again(pulls: PullRig) -> None:
    head = pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch)
    run = pulls.repo.workflow(head, jobs={"unit": None})
    first = await pulls.show()
    assert (len(first.pending), pulls.transitions()) == (1, [])
    await pulls.send(ShowPullRequest(lane_id=pulls.lane.id, shown=False))
    told, asked = pulls.told(), len(pulls.github.exchanges)
    await pulls.look()
    again = pulls.github.exchanges[asked:]
    assert pulls.told() == told, "304: nothing is drawn again"
    assert {e.answer.status for e in again if e.request.method == "GET" and e.answer is not None} == {304}
    pulls.repo.finish(run.jobs[0].check, "failure")
    await pulls.look()
    await pulls.look()
    assert pulls.transitions() == ["#1: unit failed."]
    pull.review("APPROVED")
    pull.merge()
    await pulls.look()
    await pulls.look()
    assert pulls.transitions() == ["#1: unit failed.", "#1: merged."]
    assert (pulls.shown.pull and pulls.shown.pull.state, pulls.shown.problem) == ("merged", None)


FAULTS = [
    ("offline", faults.offline(), "broke the connection off"),
    ("server", faults.server_error(502), "GitHub has a fault just now (status 502). Try again in a moment."),
    ("bad_answer", faults.truncated(), "The answer of"),
    ("not_found", faults.refused(404, "Not Found"), "Not found, or this token cannot see it."),
    ("conflict", faults.refused(409, "Git Repository is empty."), "Git Repository is empty"),
    ("forbidden", faults.missing_right(), "Resource not accessible by personal access token"),
    ("invalid", faults.refused(422, "Validation Failed"), "GitHub refuses it: Validation Failed."),
    ("rate_limited", faults.secondary_limit(600), "GitHub asks to wait until "),
    ("unauthorised", faults.bad_credentials(), "The token is not accepted. Sign in again."),
]  # fmt: skip


@pytest.mark.promise("lanes-G23")
async def test_what_was_known_stays_with_its_time_whatever_github_answers(pulls: PullRig) -> None:
    pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch, title="Fix three")
    pull.comment("Nice")
    good = await pulls.show()
    for kind, fault, words in FAULTS:
        pulls.clock.ahead += timedelta(minutes=20)
        pull.change(title=f"Not told because of {kind}")
        pulls.github.fail(fault, on="GET /repos/octo/shop/pulls/1", times=None)
        kept = await pulls.look()
        assert kept.problem is not None, kind
        assert (kept.problem.kind, words in kept.problem.text) == (kind, True), kept.problem
        assert kept.model_copy(update={"problem": None, "as_of": good.as_of}) == good, "nothing of it is lost"
        assert kept.as_of is not None
        assert (pulls.clock.now() - kept.as_of) > timedelta(minutes=19), "as of the last good time"
        asked = len(pulls.github.exchanges)
        pulls.github.heal()
        now = await pulls.look()
        if kind in ("rate_limited", "unauthorised"):
            assert now.problem is not None
            assert len(pulls.github.exchanges) == asked, "nothing is asked before GitHub, or a person, allows it"
        else:
            assert (now.problem, now.pull and now.pull.title) == (None, f"Not told because of {kind}")
            good = now
    await signed_in(pulls.rig, pulls.github)
    await pulls.rig.until(lambda updates: pulls.shown.problem is None)
    assert pulls.transitions() == []


@pytest.mark.promise("lanes-P11")
async def test_a_part_that_the_token_may_not_see_is_unknown_and_not_empty(pulls: PullRig) -> None:
    head = pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    pulls.repo.check(head, "unit", "failure")
    pulls.github.fail(faults.missing_right(), on="GET *check-runs", times=None)
    found = await pulls.show()
    assert (found.problem, "checks" in found.known, found.checks) == (None, False, ())
    ((part, why),) = found.missing
    assert (part, "not accessible" in why) == ("checks", True)
    assert checks_outcome(found) is None


@pytest.mark.parametrize("status", [403, 404])
async def test_what_a_token_may_not_see_is_looked_at_again_after_a_better_sign_in(pulls: PullRig, status: int) -> None:
    pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    fault = faults.missing_right() if status == 403 else faults.refused(404, "Not Found")
    pulls.github.fail(fault, times=None)
    nothing = await pulls.show()
    assert nothing.problem is not None
    assert nothing.problem.kind == ("forbidden" if status == 403 else "not_found")
    pulls.github.heal()
    await signed_in(pulls.rig, pulls.github)
    await pulls.rig.until(lambda updates: pulls.shown.problem is None)
    assert pulls.shown.pull is not None


async def test_nobody_is_asked_before_somebody_signs_in_and_then_it_is_looked_at(
    github: FakeGitHub, tmp_path: Path
) -> None:
    pulls = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, sign_in=False)
    try:
        asked = len(github.exchanges)
        nothing = await pulls.show()
        assert nothing.problem is not None
        assert (nothing.problem.kind, nothing.problem.text) == (
            "not_connected", f"Connect {github.host} to see and open pull requests.",
        )  # fmt: skip
        assert len(github.exchanges) == asked
        await signed_in(pulls.rig, github)
        await pulls.rig.until(lambda updates: pulls.shown.problem is None)
        git(pulls.folder, "remote", "set-url", "origin", "https://gitlab.example/o/r.git")
        other = await pulls.look()
        assert other.problem is not None
        assert other.problem.text.startswith("This remote is not a GitHub host: gitlab.example.")
        git(pulls.folder, "branch", "--unset-upstream")
        git(pulls.folder, "remote", "rename", "origin", "one")
        git(pulls.folder, "remote", "add", "two", pulls.repo.clone_url)
        unclear = await pulls.look()
        assert unclear.problem is not None
        assert unclear.problem.kind == "choose_remote"
        await pulls.send(ChooseRemote(lane_id=pulls.lane.id, remote="two"))
        assert (pulls.shown.problem, pulls.book.link(pulls.lane.id).remote) == (None, "two")
        assert "no remote" in await pulls.refused(ChooseRemote(lane_id=pulls.lane.id, remote="three"))
    finally:
        await pulls.rig.engine.stop()


async def test_a_request_is_linked_only_if_it_is_of_the_lanes_branch_and_declining_holds(pulls: PullRig) -> None:
    pulls.publish()
    pulls.repo.push("other", {"b.py": "x\n"})
    other, own = pulls.repo.open_pull("other"), pulls.repo.open_pull(pulls.lane.branch)
    found = await pulls.show()
    assert found.pull is not None
    assert found.pull.number == own.number
    said = await pulls.refused(LinkPullRequest(lane_id=pulls.lane.id, number=other.number))
    assert said == "#1 is of the branch other, and this lane is on lane/fix."
    await pulls.send(LinkPullRequest(lane_id=pulls.lane.id, number=0))
    assert (pulls.shown.pull, pulls.rig.engine.parts.base.ground.lanes.get(pulls.lane.id).pr_number) == (None, 0)
    await pulls.send(LinkPullRequest(lane_id=pulls.lane.id, number=own.number))
    assert pulls.shown.pull is not None
    own.close()
    newer = pulls.repo.open_pull(pulls.lane.branch, title="Once more")
    now = await pulls.look()
    assert now.pull is not None
    assert now.pull.number == newer.number, "the open one of the branch counts"


async def test_after_a_start_the_last_look_is_there_and_an_old_request_of_the_name_is_not(
    github: FakeGitHub, tmp_path: Path
) -> None:
    home = folders_below(tmp_path / "home")
    pulls = await pull_rig(github, home, tmp_path)
    sha = pulls.repo.push(pulls.lane.branch, {"old.py": "x\n"})
    pulls.repo.open_pull(pulls.lane.branch, title="Of an older lane").merge()
    pulls.repo.remove_branch(pulls.lane.branch)
    nothing = await pulls.show()
    assert (nothing.pull, nothing.problem, len(sha)) == (None, None, 40)
    pulls.publish()
    own = pulls.repo.open_pull(pulls.lane.branch, title="Of this one")
    await pulls.look()
    pulls.book.save_link(PullLink(lane_id=pulls.lane.id))
    cut_off = {"operation": "open_pull_request", "lane_id": pulls.lane.id}
    log = ProjectLog(pulls.rig.engine._store.events, lambda: pulls.rig.engine.project)
    log.append(LaneOperationStarted(operation_id="op_1", **cut_off))
    await pulls.rig.engine.stop()
    again = Rig(home, EngineOptions(github_pace=AT_ONCE))
    await again.engine.start()
    await again.engine.handle(SignInWithToken(host=github.host, token=SecretStr(github.token)))
    await again.engine.handle(OpenProject(path=str(tmp_path / "shop")))
    log = ProjectLog(again.engine._store.events, lambda: again.engine.project)
    async with asyncio.timeout(20):
        while log.unfinished():
            await asyncio.sleep(0.02)
    ((_, end),) = log.history("open_pull_request")
    assert end is not None
    assert (end.status, end.text) == ("interrupted", f"Banksman closed meanwhile. #{own.number} is there.")
    assert again.engine.parts.reviews.pulls.book.link(pulls.lane.id).number == own.number
    kept = again.engine.parts.reviews.pulls.book.snapshot(pulls.lane.id)
    assert kept is not None
    assert (kept.pull and kept.pull.number, kept.as_of is not None) == (own.number, True)
    github.close()
    await again.engine.handle(ShowPullRequest(lane_id=pulls.lane.id))
    shown = [u.snapshot for u in again.updates if isinstance(u, PullRequestChanged)][-1]
    assert (shown.pull, shown.as_of) == (kept.pull, kept.as_of)
    assert shown.problem is not None
    await again.engine.stop()


async def test_looking_again_at_once_asks_nobody_and_claims_are_looked_up_once(pulls: PullRig) -> None:
    pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    await pulls.show()
    asked, told = len(pulls.github.exchanges), pulls.told()
    await pulls.send(RefreshPullRequest(lane_id=pulls.lane.id))
    await pulls.send(ShowPullRequest(lane_id=pulls.lane.id))
    await pulls.send(PullWindowSeen(seen=False))
    await pulls.send(PullWindowSeen(seen=True))
    assert (len(pulls.github.exchanges), pulls.told() - told) == (asked, 2), "at most once in 5 s"
    engine = pulls.rig.engine
    claims = PullClaims(engine.parts.base.ground.lanes, utc_now, engine.parts.github, pulls.book)
    url = f"https://{pulls.github.host}/octo/shop/pull/1"
    named = ("1", "#1", url, "https://github.com/octo/shop/pull/1", "7", "no number", "http://[")
    found = [await claims.exists(pulls.lane.id, one) for one in (*named, *named)]
    assert found == [True, True, True, None, False, None, None] * 2
    assert len(pulls.github.asked("GET /repos/octo/shop/pulls/7")) == 1
    assert await claims.exists("ln_nobody", "1") is None
    pulls.github.fail(faults.offline(), times=None)
    assert await claims.exists(pulls.lane.id, "8") is None


async def test_a_host_that_wants_a_pause_has_it_over_a_restart_too(github: FakeGitHub, tmp_path: Path) -> None:
    home = folders_below(tmp_path / "home")
    pulls = await pull_rig(github, home, tmp_path)
    pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch, title="Fix three")
    await pulls.show()
    github.fail(faults.secondary_limit(600), times=None)
    limited = await pulls.look()
    assert limited.problem is not None
    await pulls.rig.engine.stop()
    github.heal()
    again = Rig(home, EngineOptions(github_pace=AT_ONCE))
    await again.engine.start()
    await again.engine.handle(SignInWithToken(host=github.host, token=SecretStr(github.token)))
    await again.engine.handle(OpenProject(path=str(tmp_path / "shop")))
    asked = len(github.exchanges)
    await again.engine.handle(ShowPullRequest(lane_id=pulls.lane.id))
    await again.engine.handle(RefreshPullRequest(lane_id=pulls.lane.id))
    shown = [u.snapshot for u in again.updates if isinstance(u, PullRequestChanged)][-1]
    assert shown.problem is not None
    assert shown.problem.kind == "rate_limited"
    assert shown.problem.until is not None
    assert limited.problem.until is not None
    assert abs(shown.problem.until - limited.problem.until) < timedelta(seconds=1)
    assert len(github.exchanges) == asked, "it is asked nothing"
    await again.engine.stop()
