"""Every call that the client can make, against the stand-in, which checks each request by GitHub's description."""

import inspect
import re
from pathlib import Path

import pytest

from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.services.github.account import who_am_i
from desktop.services.github.calls import checks, comments, merging, pulls, repository, threads
from tests.fakes.github import faults
from tests.fakes.github.model import Annotation
from tests.fakes.github.stand_in import FakeGitHub
from tests.services.github.github_rig import client_to, transport_to

pytestmark = pytest.mark.asyncio

CALLS = (
    repository.RepositoryCalls, pulls.PullCalls, checks.CheckCalls, comments.CommentCalls, merging.MergeCalls,
    threads.ThreadCalls,
)  # fmt: skip


async def test_a_request_is_opened_changed_and_merged(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    repo.collaborator("mona")
    sha = repo.push("feature/x", {"a.py": "x = 1\n"})
    async with client_to(github) as client:
        facts = await client.repositories.facts()
        assert facts.repository == RepositoryId(host=github.host, owner="octo", name="app")
        assert (facts.can_push, facts.private, facts.default_branch) == (True, True, "main")
        assert facts.methods == ("merge", "squash", "rebase")

        made = await client.pulls.create("Add x", "Body", head="feature/x", base="main")
        assert (made.number, made.state, made.head_oid, made.author.login) == (1, "draft", sha, "octo")
        await client.pulls.set_draft(made.id, draft=False)
        await client.pulls.set_draft(made.id, draft=True)
        await client.pulls.set_draft(made.id, draft=False)
        edited = await client.pulls.edit(1, title="Add x now", body="Other", base="main")
        assert (edited.title, edited.body, edited.state) == ("Add x now", "Other", "open")
        assert (await client.pulls.edit(1, state="closed")).state == "closed"
        assert (await client.pulls.edit(1, state="open")).state == "open"
        await client.pulls.ask_reviewers(1, ["mona"])
        await client.pulls.add_labels(1, ["bug"])
        settled = await client.pulls.settled(1)
        assert (settled.mergeable, settled.labels, settled.reviewers) == ("yes", ("bug",), ("mona",))
        assert [file.path for file in (await client.pulls.files(1)).items] == ["a.py"]
        assert [commit.oid for commit in (await client.pulls.commits(1)).items] == [sha]
        assert [one.number for one in (await client.pulls.open_ones()).items] == [1]
        assert [one.number for one in await client.pulls.of_branch("feature/x")] == [1]
        assert await client.pulls.of_branch("other") == ()

        repo.push("main", {"c.py": "y = 2\n"})
        await client.merging.update_branch(1, sha)
        head = (await client.pulls.one(1)).head_oid
        assert head != sha
        oid = await client.merging.merge(1, head, "squash", title="Add x (#1)", text="All of it")
        assert oid == repo.head("main")
        merged = await client.pulls.one(1)
        assert (merged.state, merged.merge_oid) == ("merged", oid)
        assert await client.repositories.required_checks("main") == frozenset()
        repo.protect("main", checks=["test"])
        assert await client.repositories.required_checks("main") == {"test"}
        repo.protect("feature/x", checks=["lint"], by_ruleset=True)
        assert await client.repositories.required_checks("feature/x") == {"lint"}
        repo.value.protections.clear()
        await client.repositories.delete_branch("feature/x")
        await client.repositories.delete_branch("feature/x")
        assert repo.head("feature/x") is None


async def test_the_accounts_own_fork_is_one_of_this_repository(github: FakeGitHub) -> None:
    theirs = github.add_repo("mona/app", private=False)
    theirs.push("main", {"a.py": "x = 1\n"})
    github.add_repo("octo/other", private=False)
    async with client_to(github, "mona/app") as client:
        assert await client.repositories.own_fork() is None
        fork = theirs.fork("octo")
        found = await client.repositories.own_fork()
        assert found is not None
        assert (found.repository.slug, found.https) == ("octo/app", fork.clone_url)
    renamed = github.add_repo("mona/lib", private=False)
    renamed.push("main", {"a.py": "x = 1\n"})
    github.add_repo("octo/lib", private=False)
    async with client_to(github, "mona/lib") as client:
        assert await client.repositories.own_fork() is None
        fork = renamed.fork("octo", "lib-of-mine")
        renamed.fork("hubot", "lib-of-others")
        found = await client.repositories.own_fork()
        assert found is not None, "it has another name, and one of the same name is no fork"
        assert (found.repository.slug, found.https) == ("octo/lib-of-mine", fork.clone_url)
        assert await client.repositories.fork_named("lib-of-mine") == found
        assert await client.repositories.fork_named("lib") is None
        github.fail(faults.missing_right(), on="POST /graphql repository")
        assert await client.repositories.own_fork() is None
    github.add_repo("mona/other", private=False)
    for name in ("octo/app", "mona/other"):
        async with client_to(github, name) as client:
            assert await client.repositories.own_fork() is None, "its own, or one of the same name that is no fork"


async def test_checks_are_told_with_their_runs_steps_remarks_and_logs(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    sha = repo.push("feature", {"a.py": "x = 1\n"})
    run = repo.workflow(sha, {"test": "failure", "lint": "success"}, name="CI", log="line 1\nline 2\n")
    repo.workflow(sha, {"test": "success"}, name="Nightly")
    repo.check(sha, "style", "failure", app="house", annotations=[Annotation("a.py", 1, "No x, please")])
    repo.status(sha, "legacy", "pending")
    repo.status(sha, "deploy", "error")
    async with client_to(github) as client:
        found = (await client.checks.of_commit(sha)).items
        told = {(one.workflow, one.name, one.outcome) for one in found}
        assert told == {
            ("CI", "test", "bad"), ("CI", "lint", "ok"), ("Nightly", "test", "ok"), ("", "style", "bad"),
            ("", "legacy", "pending"), ("", "deploy", "bad"),
        }  # fmt: skip
        failed = next(one for one in found if one.workflow == "CI" and one.name == "test")
        assert (failed.run_id, failed.app) == (run.id, "github-actions")
        jobs = (await client.checks.jobs(run.id)).items
        job = next(one for one in jobs if one.id == failed.job_id)
        assert job.conclusion == "failure"
        assert job.steps
        assert await client.checks.job_log(failed.job_id) == ("line 1\nline 2\n", False)
        style = next(one for one in found if one.name == "style")
        remarks = (await client.checks.annotations(style.id)).items
        assert [(one.path, one.message, one.level) for one in remarks] == [("a.py", "No x, please", "failure")]
        assert {one.name for one in (await client.checks.runs(sha)).items} == {"CI", "Nightly"}
        await client.checks.rerun_failed(run.id)
        assert (await client.checks.of_commit(sha)).items != found
        await client.checks.rerequest(style.id)
        for left in run.jobs:
            left.log = None
        with pytest.raises(GitHubError) as gone:
            await client.checks.job_log(failed.job_id)
        assert gone.value.kind == "not_found"


async def test_threads_comments_and_reviews_are_read_and_written(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    repo.collaborator("mona")
    repo.push("feature", {"a.py": "x = 1\ny = 2\n"})
    pull = repo.open_pull("feature", by="mona")
    thread = pull.thread("a.py", 2, "Why **y**?", by="coderabbitai[bot]")
    pull.comment("Looks fine", by="mona")
    pull.review("APPROVED", "Good", by="hubot")
    async with client_to(github) as client:
        found = (await client.threads.of_request(pull.number)).items
        assert [(one.path, one.line, one.open) for one in found] == [("a.py", 2, True)]
        first = found[0].comments[0]
        assert (first.author.login, first.author.bot, first.body) == ("coderabbitai[bot]", True, "Why **y**?")
        assert found[0].hunk.startswith("@@")
        assert await client.threads.owner(found[0].id) == (client.repository, pull.number)
        reply = await client.threads.reply(found[0].id, "Because")
        assert (reply.body, reply.mine, reply.author.login) == ("Because", True, "octo")
        await client.threads.set_resolved(found[0].id, resolved=True)
        again = (await client.threads.of_request(pull.number)).items[0]
        assert (again.resolved, again.resolved_by, len(again.comments)) == (True, "octo", 2)
        await client.threads.set_resolved(found[0].id, resolved=False)
        assert thread.resolved_by is None
        await client.threads.delete_comment(reply.id)
        assert [one.body for one in (await client.threads.of_request(pull.number)).items[0].comments] == ["Why **y**?"]
        with pytest.raises(GitHubError) as unknown:
            await client.threads.owner("PRRT_kwDO00000000")
        assert unknown.value.kind == "not_found"

        posted = await client.comments.post(pull.number, "Thanks")
        told = (await client.comments.comments(pull.number)).items
        assert [(one.body, one.mine) for one in told] == [("Looks fine", False), ("Thanks", True)]
        assert told[1].id == posted.id
        await client.comments.post_review(pull.number, "request_changes", "Not yet", commit=pull.head_sha)
        await client.comments.post_review(pull.number, "approve")
        verdicts = [one.verdict for one in (await client.comments.reviews(pull.number)).items if one.author.login]
        assert verdicts[-2:] == ["changes_requested", "approved"]


async def test_the_account_is_told_with_scopes_and_end(github: FakeGitHub) -> None:
    github.add_token("mona", "ghp_reading", scopes=["read:org"])
    github.add_token("mona", "github_pat_fine", scopes=None)
    async with transport_to(github) as transport:
        found = await who_am_i(transport)
        assert (found.login, found.read_only) == ("octo", "")
        assert "repo" in found.scopes
    async with transport_to(github, token="ghp_reading", plain=True) as transport:
        assert "repo" in (await who_am_i(transport)).read_only
    async with transport_to(github, token="github_pat_fine") as transport:
        fine = await who_am_i(transport)
        assert (fine.login, fine.scopes, fine.read_only) == ("mona", (), "")


async def test_a_renamed_repository_is_followed(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/old")
    repo.push("feature", {"a.py": "x = 1\n"})
    repo.rename("octo/new")
    async with client_to(github, "octo/old") as client:
        made = await client.pulls.create("Add x", "", head="feature", base="main")
        assert made.number == 1
        await client.repositories.facts()
        assert client.repository.slug == "octo/new"
        assert (await client.pulls.one(1)).repository.slug == "octo/new"


async def test_lists_go_over_all_pages(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    sha = repo.push("feature", {"a.py": "x = 1\n"})
    pull = repo.open_pull("feature")
    for number in range(120):
        pull.comment(f"Comment {number}")
        repo.status(sha, f"context {number}")
    threads_there = [pull.thread("a.py", 1, f"Thread {number}") for number in range(52)]
    for number in range(60):
        pull.reply(threads_there[0], f"Reply {number}")
    async with client_to(github) as client:
        assert len((await client.comments.comments(pull.number)).items) == 120
        assert len((await client.checks.of_commit(sha)).items) == 120
        found = await client.threads.of_request(pull.number)
        assert (len(found.items), found.capped) == (52, False)
        assert len(found.items[0].comments) == 61


async def test_every_call_is_made_in_this_file() -> None:
    made = set(re.findall(r"client\.\w+\.(\w+)\(", Path(__file__).read_text()))
    known = {
        name for kind in CALLS for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")
    }
    assert known <= made
