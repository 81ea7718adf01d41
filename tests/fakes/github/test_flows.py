"""What happens to a pull request on GitHub happens on the stand-in, to real commits."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.fakes.github import faults
from tests.fakes.github.changes import Pushed
from tests.fakes.github.device_flow import GRANT
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.github.test_stand_in import git

REPO = "/repos/octo/app"
Json = dict[str, Any]


def test_merging_makes_real_commits_and_obeys_head_conflict_draft_and_rules(
    github: FakeGitHub, http: httpx2.Client
) -> None:
    repo = github.add_repo("octo/app")
    repo.collaborator("mona")
    for name in ("squash", "rebase", "merge"):
        repo.push(name, {f"{name}.py": "1\n"}, f"Start {name}")
        repo.push(name, {f"{name}.py": "2\n"}, f"End {name}")
        repo.open_pull(name, title=f"The {name}")
    squash, rebase, merge = repo.pulls
    stale = http.put(f"{REPO}/pulls/1/merge", json={"sha": repo.head("main"), "merge_method": "squash"})
    assert (stale.status_code, stale.json()["message"]) == (
        409, "Head branch was modified. Review and try the merge again.")  # fmt: skip
    repo.protect("main", checks=["test"], reviews=1)
    assert "approving review" in http.put(f"{REPO}/pulls/1/merge").json()["message"]
    squash.review("APPROVED")
    assert http.get(f"{REPO}/pulls/1").json()["mergeable_state"] == "blocked"
    assert http.put(f"{REPO}/pulls/1/merge").json()["message"] == 'Required status check "test" is expected.'
    repo.check(squash.head_sha, "test")
    assert http.get(f"{REPO}/pulls/1").json()["mergeable_state"] == "clean"
    squash.change(draft=True)
    assert http.put(f"{REPO}/pulls/1/merge").json()["message"] == "Pull Request is still a draft"
    squash.change(draft=False)
    body = {"sha": squash.head_sha, "merge_method": "squash", "commit_title": "One", "commit_message": "Two"}
    assert http.put(f"{REPO}/pulls/1/merge", json=body).json()["sha"] == repo.head()
    assert repo.value.git.show(repo.head() or "").message == "One\n\nTwo"
    repo.value.protections.clear()
    repo.value.merge_methods.remove("merge")
    refused = http.put(f"{REPO}/pulls/3/merge")
    assert (refused.status_code, refused.json()["message"]) == (
        405, "Merge commits are not allowed on this repository.")  # fmt: skip
    http.put(f"{REPO}/pulls/2/merge", json={"merge_method": "rebase"})
    subjects = [each.message for each in repo.value.git.log(repo.head() or "")]
    assert subjects == ["Initial commit", "One\n\nTwo", "Start rebase", "End rebase"]
    repo.push("main", {"merge.py": "other\n"})
    assert http.get(f"{REPO}/pulls/3").json()["mergeable_state"] == "dirty"
    conflict = http.put(f"{REPO}/pulls/3/merge", json={"merge_method": "squash"})
    assert (conflict.status_code, conflict.json()["message"]) == (405, "Pull Request is not mergeable")
    assert (squash.state, rebase.state, merge.state) == ("merged", "merged", "open")


def test_the_base_is_merged_into_the_branch_only_as_it_was_seen(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    seen = repo.push("feature", {"a.py": "1\n"})
    pull = repo.open_pull("feature")
    update = f"{REPO}/pulls/1/update-branch"
    assert http.put(update, json={}).json()["message"] == "There are no new commits on the base branch."
    repo.push("main", {"b.py": "2\n"})
    assert "expected head sha" in http.put(update, json={"expected_head_sha": repo.head()}).json()["message"]
    pushed: list[Pushed] = []
    github.on_push(pushed.append)
    assert http.put(update, json={"expected_head_sha": seen}).status_code == 202
    assert repo.value.git.show(pull.head_sha).parents == (seen, repo.head())
    assert [(each.branch, each.after) for each in pushed] == [("feature", pull.head_sha)]
    repo.push("main", {"a.py": "3\n"})
    assert http.put(update, json={}).json()["message"] == "merge conflict between base and head"


def test_creating_is_refused_with_githubs_reasons(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature")
    repo.open_pull("feature")
    repo.force("same", repo.head() or "")

    def refusal(**body: str) -> Json:
        answer = http.post(f"{REPO}/pulls", json={"title": "x", "base": "main", **body})
        assert answer.status_code == 422
        error: Json = answer.json()["errors"][0]
        return error

    assert refusal(head="feature")["message"] == "A pull request already exists for octo:feature."
    assert refusal(head="same")["message"] == "No commits between main and same"
    assert (refusal(head="none")["field"], refusal(head="feature", base="none")["field"]) == ("head", "base")
    repo.pull(1).close()
    assert http.patch(f"{REPO}/pulls/1", json={"state": "open", "title": "New"}).json()["title"] == "New"
    repo.remove_branch("feature")
    assert repo.pull(1).state == "closed"
    assert http.patch(f"{REPO}/pulls/1", json={"state": "open"}).status_code == 422


def test_a_pull_request_of_a_fork_follows_the_fork(github: FakeGitHub, http: httpx2.Client, tmp_path: Path) -> None:
    repo = github.add_repo("octo/app")
    fork = repo.fork("mona")
    fork.push("fix", {"a.py": "1\n"})
    pull = repo.open_pull("mona:fix", by="mona")
    moved = fork.push("fix", {"a.py": "2\n"})
    shown = http.get(f"{REPO}/pulls", params={"head": "mona:fix"}).json()[0]
    assert (shown["head"]["repo"]["full_name"], shown["head"]["sha"]) == ("mona/app", moved)
    git(tmp_path, "", "init", "-q", "work")
    assert git(tmp_path / "work", github.token, "fetch", "-q", repo.clone_url, "pull/1/head").returncode == 0
    assert git(tmp_path / "work", "", "rev-parse", "FETCH_HEAD").stdout.strip() == pull.head_sha == moved
    refused = git(tmp_path / "work", github.token, "push", repo.clone_url, f"{moved}:refs/pull/1/head")
    assert "deny updating a hidden ref" in refused.stderr


def test_checks_are_run_again_and_the_newest_counts(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    sha = repo.push("feature")
    pull = repo.open_pull("feature")
    run = repo.workflow(sha, {"test": "failure", "lint": "success"})
    scan = repo.check(sha, "scan", "failure")
    running = repo.check(sha, "slow", None)

    def states() -> dict[str, str]:
        found = http.get(f"{REPO}/commits/{sha}/check-runs", params={"filter": "latest"}).json()["check_runs"]
        return {each["name"]: each["conclusion"] or each["status"] for each in found}

    assert http.post(f"{REPO}/actions/runs/{run.id}/rerun-failed-jobs").status_code == 201
    assert http.post(f"{REPO}/actions/runs/{run.id}/rerun-failed-jobs").status_code == 403
    assert http.post(f"{REPO}/check-runs/{scan.id}/rerequest").status_code == 201
    assert http.post(f"{REPO}/check-runs/{running.id}/rerequest").status_code == 422
    assert http.post(f"{REPO}/check-runs/{run.jobs[0].check.id}/rerequest").status_code == 403
    assert states() == {"test": "queued", "lint": "success", "scan": "queued", "slow": "in_progress"}
    repo.finish(run.latest_jobs[0].check)
    assert http.get(f"{REPO}/actions/runs", params={"head_sha": sha}).json()["workflow_runs"][0]["run_attempt"] == 2
    assert states()["test"] == "success"
    github.on_push(lambda event: event.after and repo.workflow(event.after, {"test": "success"}))
    repo.push("feature")
    found = http.get(f"{REPO}/commits/{pull.head_sha}/check-runs").json()
    assert [each["conclusion"] for each in found["check_runs"]] == ["success"]


def test_a_log_is_on_another_host_and_a_token_sent_there_is_seen(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    run = repo.workflow(repo.head() or "", {"test": None}, log="one\ntwo\n")
    assert http.get(f"{REPO}/actions/jobs/{run.jobs[0].check.id}/logs").status_code == 404
    repo.finish(run.jobs[0].check, "failure")
    answer = http.get(f"{REPO}/actions/jobs/{run.jobs[0].check.id}/logs")
    there = answer.headers["location"]
    assert answer.status_code == 302
    assert httpx2.URL(there).port != httpx2.URL(github.base_url).port
    assert http.get(there, headers={"Authorization": ""}).text == "one\ntwo\n"
    assert http.get(there).status_code == 400
    assert [bool(each.headers.get("authorization")) for each in github.log_requests] == [False, True]
    run.jobs[0].log = None
    assert http.get(f"{REPO}/actions/jobs/{run.jobs[0].check.id}/logs").status_code == 410


def test_lists_come_in_pages_and_unchanged_answers_are_not_sent_again(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature")
    pull = repo.open_pull("feature")
    for number in range(5):
        pull.comment(f"Comment {number}")
    found, address = [], f"{github.api_url}{REPO}/issues/1/comments?per_page=2"
    while address:
        answer = http.get(address)
        found += [each["body"] for each in answer.json()]
        address = answer.links.get("next", {}).get("url", "")
    assert found == [f"Comment {number}" for number in range(5)]
    etag = http.get(f"{REPO}/pulls/1").headers["etag"]
    left = github.rate.remaining
    same = http.get(f"{REPO}/pulls/1", headers={"If-None-Match": etag})
    assert (same.status_code, same.content, github.rate.remaining) == (304, b"", left)
    repo.collaborator("mona")
    github.add_token("mona", "other")
    another = {"If-None-Match": etag, "Authorization": "Bearer other"}
    assert http.get(f"{REPO}/pulls/1", headers=another).status_code == 200
    pull.comment("Another")
    assert http.get(f"{REPO}/pulls/1", headers={"If-None-Match": etag}).status_code == 200


def test_tokens_reach_as_far_as_their_account_scopes_and_time(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature")
    repo.open_pull("feature")
    repo.collaborator("mona", "read")
    tokens = {"stranger": "s", "mona": "m", "octo": "o"}
    for login, value in tokens.items():
        github.add_token(login, value)
    github.add_token("octo", "fine", scopes=None, read_only=True)
    github.add_token("octo", "scopeless", scopes=("read:user",))
    seen = {}
    for value in (*tokens.values(), "fine", "scopeless", "wrong"):
        header = {"Authorization": f"Bearer {value}"}
        read = http.get(f"{REPO}/pulls/1", headers=header).status_code
        wrote = http.post(f"{REPO}/issues/1/labels", json={"labels": ["bug"]}, headers=header).status_code
        seen[value] = (read, wrote)
    assert seen == {"s": (404, 404), "m": (200, 403), "o": (200, 200), "fine": (200, 403), "scopeless": (404, 404),
                    "wrong": (401, 401)}  # fmt: skip
    assert http.get(REPO, headers={"Authorization": "token m"}).json()["permissions"]["push"] is False
    assert http.get("/user").headers["x-oauth-scopes"] == "repo, workflow, read:org"
    github.set_rate(1, resets_in_s=60)
    http.get("/user")
    limited = http.get("/user")
    assert (limited.status_code, limited.headers["x-ratelimit-remaining"]) == (403, "0")
    github.advance(61)
    assert http.get("/user").status_code == 200


def test_a_renamed_repository_is_found_by_its_old_name(github: FakeGitHub, http: httpx2.Client, tmp_path: Path) -> None:
    repo = github.add_repo("octo/app")
    old = repo.clone_url
    repo.rename("octo-org/product")
    moved = http.get(REPO)
    assert moved.status_code == 301
    repo.collaborator("octo")
    assert http.get(moved.headers["location"]).json()["full_name"] == "octo-org/product"
    assert http.post(f"{REPO}/pulls", json={"title": "x", "head": "a", "base": "main"}).status_code == 307
    assert git(tmp_path, github.token, "clone", "-q", old, "work").returncode == 0


def test_the_device_flow_answers_as_scripted(github: FakeGitHub, http: httpx2.Client) -> None:
    ask = {"client_id": github.device.client_id, "scope": "repo"}
    json_please = {"Accept": "application/json"}
    code = http.post(f"{github.base_url}/login/device/code", data=ask, headers=json_please).json()
    assert code["verification_uri"] == f"{github.base_url}/login/device"
    github.device.steps.extend(["authorization_pending", "slow_down", "expired_token", "access_denied", github.token])
    poll = {"client_id": ask["client_id"], "device_code": code["device_code"], "grant_type": GRANT}
    address = f"{github.base_url}/login/oauth/access_token"
    answers = [http.post(address, data=poll, headers=json_please).json() for _ in range(5)]
    assert [each.get("error") for each in answers] == [
        "authorization_pending", "slow_down", "expired_token", "access_denied", None]  # fmt: skip
    assert (answers[1]["interval"], answers[4]["access_token"]) == (10, github.token)
    assert "error=authorization_pending" in http.post(address, data=poll).text


def test_a_broken_connection_is_one(github: FakeGitHub, http: httpx2.Client) -> None:
    github.add_repo("octo/app")
    broken = [faults.offline(), faults.truncated(), faults.answer_lost()]
    for fault in broken:
        github.fail(fault, on=f"GET {REPO}", times=2, skip=1)
        assert http.get(REPO).status_code == 200
        for _ in range(2):
            with pytest.raises(httpx2.TransportError):
                http.get(REPO)
    assert http.get(REPO).status_code == 200
    seen = [each for fault in broken for each in (None, fault, fault)]
    assert [each.fault for each in github.asked(f"GET {REPO}")] == [*seen, None]


def test_a_slow_answer_comes_after_the_effect(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature")
    pull = repo.open_pull("feature")
    github.fail(faults.slow(5.0), on="POST /repos/*/comments")
    with pytest.raises(httpx2.ReadTimeout):
        http.post(f"{REPO}/issues/1/comments", json={"body": "Hello"}, timeout=httpx2.Timeout(25.0, read=0.2))
    github.wait_for(1, "POST *")
    assert [comment.body for comment in pull.value.comments] == ["Hello"]
    github.fail(faults.server_error(), on="GET *")
    assert http.get("/user").status_code == 502
