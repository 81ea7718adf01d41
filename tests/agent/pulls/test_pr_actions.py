"""What a person does on a request: each thing once, looked up when its answer was lost, refused where it has to be."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from desktop.domain.core.command import Command
from desktop.domain.pulls.commands import (
    EditPullRequest,
    LoadCheck,
    LoadCheckLog,
    LoadForeignPicture,
    PostPullComment,
    PostReview,
    ReplyToThread,
    RerunChecks,
    SetPullState,
    SetThreadResolved,
    UpdatePullBranch,
)
from desktop.domain.pulls.updates import CheckLoaded, CheckLogLoaded, ChecksRerun, ForeignPictureLoaded
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below
from tests.fakes.github import faults
from tests.fakes.github.control import PullControl
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.picture_host import PictureHost

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)
GRAPHQL = "POST /graphql"


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path)
    yield made
    await made.rig.engine.stop()


@pytest_asyncio.fixture
async def pull(pulls: PullRig) -> PullControl:
    """The lane's request, which somebody else opened and which is on screen."""
    pulls.publish()
    pulls.github.add_account("mona")
    made = pulls.repo.open_pull(pulls.lane.branch, title="Fix three", body="One\n\nTwo\n\nThree", by="mona")
    await pulls.show()
    return made


async def done(pulls: PullRig, command: Command) -> None:
    assert await pulls.send(command) == []


@pytest.mark.promise("lanes-P31")
async def test_words_on_a_request_arrive_once_even_when_the_answer_is_lost(pulls: PullRig, pull: PullControl) -> None:
    lane_id = pulls.lane.id
    thread = pull.thread("app.py", 3, "Why three?")
    await pulls.look()
    await done(pulls, ReplyToThread(lane_id=lane_id, thread_id=thread.node_id, body=" Because.\r\nReally. "))
    pulls.github.fail(faults.answer_lost(), on=GRAPHQL, skip=1)
    await done(pulls, ReplyToThread(lane_id=lane_id, thread_id=thread.node_id, body="Because."))
    assert [c.body for c in thread.comments] == ["Why three?", "Because.\nReally.", "Because."]
    assert pulls.book.store.agent_comments(lane_id) == frozenset(), "a person's words are no agent's"
    await done(pulls, SetThreadResolved(lane_id=lane_id, thread_id=thread.node_id))
    await done(pulls, SetThreadResolved(lane_id=lane_id, thread_id=thread.node_id))
    assert thread.resolved_by is not None
    await done(pulls, SetThreadResolved(lane_id=lane_id, thread_id=thread.node_id, resolved=False))
    assert thread.resolved_by is None
    pulls.github.fail(faults.answer_lost(), on="POST /repos/octo/shop/issues/1/comments")
    await done(pulls, PostPullComment(lane_id=lane_id, body="Ready."))
    pulls.github.fail(faults.answer_lost(), on="POST /repos/octo/shop/pulls/1/reviews")
    await done(pulls, PostReview(lane_id=lane_id, verdict="approve", body="Good"))
    pulls.github.fail(faults.answer_lost(), on="PATCH /repos/octo/shop/pulls/1")
    await done(pulls, EditPullRequest(lane_id=lane_id, title="Fix line three"))
    found = await pulls.look()
    assert [c.body for c in found.comments] == ["Ready."]
    assert [(r.verdict, r.body) for r in found.reviews if r.body] == [("approved", "Good")]
    assert (pull.value.title, len(pulls.github.asked("PATCH *"))) == ("Fix line three", 1)


async def test_what_was_not_done_is_said_and_what_is_not_known_too(pulls: PullRig, pull: PullControl) -> None:
    lane_id, thread = pulls.lane.id, pull.thread("app.py", 3, "Why three?")

    def order() -> PostPullComment:
        return PostPullComment(lane_id=lane_id, body="Ready.")

    post = "POST /repos/octo/shop/issues/1/comments"
    pulls.github.fail(faults.missing_right(), on=post)
    assert "not accessible" in await pulls.refused(order())
    pulls.github.fail(faults.server_error(), on=post)
    assert "status 502" in await pulls.refused(order())
    pulls.github.fail(faults.answer_lost(), on=post)
    pulls.github.fail(faults.offline(), on="GET /repos/octo/shop/issues/1/comments", times=None)
    said = await pulls.refused(order())
    assert "Whether it was done could not be looked up" in said
    assert said.endswith("Refresh before you try again.")
    pulls.github.heal()
    assert (len(pull.value.comments), len(pulls.github.asked(post))) == (1, 3), "nothing is repeated by itself"
    assert "nothing to say" in await pulls.refused(ReplyToThread(lane_id=lane_id, thread_id=thread.node_id, body=" "))
    pulls.repo.push("other", {"b.py": "x\n"})
    foreign = pulls.repo.open_pull("other").thread("b.py", 1, "And here?").node_id
    for command in (
        ReplyToThread(lane_id=lane_id, thread_id=foreign, body="Hi"),
        SetThreadResolved(lane_id=lane_id, thread_id=foreign),
        ReplyToThread(lane_id=lane_id, thread_id="PRRT_nobody", body="Hi"),
    ):
        assert await pulls.refused(command) == f"Thread {command.thread_id} does not belong to #1."
    ends = [e.text for e in pulls.operations("comment") if e.type == "lane_operation_finished"]
    assert len(ends) == 3
    assert all(ends), "each failure is on record"


async def test_text_that_somebody_changed_meanwhile_is_kept_or_the_edit_refused(
    pulls: PullRig, pull: PullControl
) -> None:
    lane_id, seen = pulls.lane.id, "One\n\nTwo\n\nThree"
    pull.change(body="One, by mona\n\nTwo\n\nThree")
    await done(pulls, EditPullRequest(lane_id=lane_id, body="One\n\nTwo\n\nThree, by me", seen_body=seen))
    assert pull.value.body == "One, by mona\n\nTwo\n\nThree, by me"
    said = await pulls.refused(EditPullRequest(lane_id=lane_id, body="One, by me\n\nTwo\n\nThree", seen_body=seen))
    assert said.startswith("The text was changed on GitHub meanwhile")
    assert pull.value.body == "One, by mona\n\nTwo\n\nThree, by me"
    assert await pulls.refused(EditPullRequest(lane_id=lane_id, title=" ")) == "Give the request a title."


@pytest.mark.promise("lanes-P34")
async def test_a_request_is_closed_reopened_drafted_and_brought_up_to_date(pulls: PullRig, pull: PullControl) -> None:
    lane_id = pulls.lane.id
    for to, state in (("draft", ("open", True)), ("ready", ("open", False)), ("closed", ("closed", False)),
                      ("closed", ("closed", False)), ("open", ("open", False))):  # fmt: skip
        await done(pulls, SetPullState(lane_id=lane_id, to=to))
        assert (pull.value.state, pull.value.draft) == state
    pulls.repo.push("main", {"base.py": "x\n"})
    old = pull.head_sha
    assert "changed while you looked" in await pulls.refused(UpdatePullBranch(lane_id=lane_id, head_oid="0" * 40))
    pulls.github.fail(faults.answer_lost(), on="PUT *update-branch")
    await done(pulls, UpdatePullBranch(lane_id=lane_id, head_oid=old))
    assert pull.head_sha != old
    pull.merge()
    assert await pulls.refused(SetPullState(lane_id=lane_id, to="closed")) == "Pull request #1 is merged."


async def test_failed_checks_run_again_by_run_or_one_by_one_and_details_are_masked(
    pulls: PullRig, pull: PullControl
) -> None:
    lane_id, head = pulls.lane.id, pull.head_sha
    log = f"2026-01-01T00:00:00.0000000Z token {pulls.github.token}\n" + "line\n" * 2_100
    run = pulls.repo.workflow(head, jobs={"unit": "failure", "lint": "timed_out", "docs": "success"}, log=log)
    other = pulls.repo.check(head, "preview", "failure")
    pulls.repo.status(head, "legacy", "failure")
    await pulls.look()
    check = next(c for c in pulls.shown.checks if c.name == "unit")
    loaded = await pulls.answer(LoadCheck(lane_id=lane_id, check_id=check.id), CheckLoaded)
    assert (loaded.job_id, bool(loaded.steps), loaded.problem) == (check.job_id, True, "")
    shown = await pulls.answer(LoadCheckLog(lane_id=lane_id, job_id=check.job_id), CheckLogLoaded)
    assert (len(shown.lines), shown.total, shown.gone) == (2_000, 2_101, False)
    whole = await pulls.answer(LoadCheckLog(lane_id=lane_id, job_id=check.job_id, whole=True), CheckLogLoaded)
    assert pulls.github.token not in whole.lines[0]
    assert "removed]" in whole.lines[0]
    run.jobs[0].log = None
    gone = await pulls.answer(LoadCheckLog(lane_id=lane_id, job_id=check.job_id), CheckLogLoaded)
    assert (gone.gone, gone.lines, bool(gone.url)) == (True, (), True)
    rerun = await pulls.answer(RerunChecks(lane_id=lane_id), ChecksRerun)
    assert {one.name: one.problem for one in rerun.results} == {
        "unit": "", "lint": "", "preview": "", "legacy": "A commit status cannot be run again from here.",
    }  # fmt: skip
    assert len(pulls.github.asked("POST *rerun-failed-jobs")) == 1
    assert len(pulls.github.asked("POST *rerequest")) == 1
    assert other.id
    again = await pulls.answer(RerunChecks(lane_id=lane_id, names=("unit", "nobody")), ChecksRerun)
    assert {one.name: one.problem for one in again.results} == {
        "unit": "It is still running.", "nobody": "There is no such check.",
    }  # fmt: skip


async def test_a_picture_of_a_text_is_made_anew_by_the_helper_or_it_is_said_why_not(pulls: PullRig) -> None:
    out = io.BytesIO()
    Image.new("RGB", (3_200, 40), (0, 120, 0)).save(out, "JPEG")
    host = PictureHost({"/a.jpg": (200, {}, out.getvalue()), "/b.jpg": (200, {}, out.getvalue()[:200])})
    try:
        shown = await pulls.answer(LoadForeignPicture(address=f"{host.root}/a.jpg"), ForeignPictureLoaded)
        damaged = await pulls.answer(LoadForeignPicture(address=f"{host.root}/b.jpg"), ForeignPictureLoaded)
        plain = await pulls.answer(LoadForeignPicture(address="http://192.0.2.1/a.jpg"), ForeignPictureLoaded)
    finally:
        host.end()
    made = Image.open(io.BytesIO(shown.data))
    assert (made.format, made.size, shown.problem) == ("PNG", (1_600, 20), "")
    assert (damaged.data, damaged.problem) == (b"", "This picture cannot be shown: it cannot be decoded.")
    assert "without https" in plain.problem
    assert all("authorization" not in headers for _, headers in host.asked)
