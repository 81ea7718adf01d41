"""Single parts of the client, and what they do with answers that are seldom given."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.services.github import rest_models as rest
from desktop.services.github.etags import MAX_BODY_BYTES, EtagCache, Kept
from desktop.services.github.limits import LimitWatch
from desktop.services.github.problems import answer_failure, graphql_failure, said_in
from desktop.services.github.values import check_of_run, conclusion, newest, pull_request, review
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub
from tests.services.github.github_rig import Waits, client_to

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LOOP = pytest.mark.asyncio


def kind(error: GitHubError) -> str:
    return error.kind


def test_the_oldest_answers_are_forgotten_first_and_large_ones_at_once() -> None:
    cache = EtagCache(max_bytes=10)
    cache.put("/a", "t", Kept('"1"', b"12345"))
    cache.put("/b", "t", Kept('"2"', b"12345"))
    assert cache.get("/a", "t") is not None
    cache.put("/c", "t", Kept('"3"', b"1"))
    assert cache.get("/b", "t") is None
    assert cache.get("/a", "other") is None
    cache.put("/a", "t", Kept('"4"', bytes(MAX_BODY_BYTES + 1)))
    assert cache.get("/a", "t") is None


def test_a_pause_may_be_told_as_a_date_and_the_clocks_may_differ() -> None:
    watch = LimitWatch("github.com", lambda: NOW)
    until = watch.seen(429, {"retry-after": "Sun, 22 Nov 2026 12:02:00 GMT"}, "")
    assert until == NOW + timedelta(minutes=2)
    assert watch.seen(429, {"retry-after": "soon"}, "") == NOW + timedelta(seconds=60)
    other = LimitWatch("github.com", lambda: NOW)
    reset = str(int((NOW + timedelta(minutes=70)).timestamp()))
    headers = {
        "date": "Sun, 22 Nov 2026 13:00:00 GMT", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset,
        "x-ratelimit-limit": "5000",
    }  # fmt: skip
    assert other.seen(403, headers, "") == NOW + timedelta(minutes=10)
    assert other.state.wait_until == NOW + timedelta(minutes=10)
    assert other.seen(403, {}, "Resource not accessible") is None


def test_a_quota_that_ends_with_a_good_answer_counts_as_well() -> None:
    watch = LimitWatch("github.com", lambda: NOW)
    reset = str(int((NOW + timedelta(minutes=5)).timestamp()))
    left = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, "x-ratelimit-limit": "5000"}
    assert watch.seen(200, left, "") is None
    assert watch.until("core") == NOW + timedelta(minutes=5)
    assert watch.until("graphql") is None
    assert watch.state.reason == "the quota is used up"


def test_a_wait_from_before_a_start_goes_on_unless_it_is_over_or_absurd() -> None:
    told: list[datetime | None] = []
    watch = LimitWatch("github.com", lambda: NOW, lambda state: told.append(state.wait_until))
    watch.resume(NOW - timedelta(seconds=1))
    watch.resume(NOW + timedelta(days=400))
    assert watch.until("core") is None
    watch.resume(NOW + timedelta(minutes=5))
    watch.resume(NOW + timedelta(minutes=9))
    assert watch.until("graphql") == NOW + timedelta(minutes=5)
    assert told == [NOW + timedelta(minutes=5)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>", ""), (b"[1]", ""), (b'{"message": 7}', ""), (b'{"message": "No."}', "No"),
        (b'{"message": "Bad", "errors": "Why."}', "Bad: Why"),
        (b'{"message": "Bad", "errors": [{"message": "A."}, {"field": "base", "code": "invalid"}, 3]}',
         "Bad: A; base invalid"),
    ],
)  # fmt: skip
def test_what_github_says_is_taken_from_its_answer(body: bytes, said: str) -> None:
    assert said_in(body) == said


def test_seldom_answers_have_a_kind_too() -> None:
    assert kind(answer_failure(418, {}, b"")) == "bad_answer"
    assert kind(answer_failure(405, {}, b'{"message": "Pull Request is not mergeable"}')) == "invalid"
    assert kind(graphql_failure([{"message": "Something went wrong while executing your query."}])) == "server"
    lacking = "Your token has not been granted the required scopes. one of the following scopes: ['repo']"
    found = graphql_failure([{"type": "INSUFFICIENT_SCOPES", "message": lacking}])
    assert (found.kind, found.problem.right) == ("forbidden", "repo")


@pytest.mark.promise("lanes-P9")
def test_words_that_are_not_known_never_count_as_good() -> None:
    assert conclusion("splendid") == "error"
    check = check_of_run(rest.CheckRun(id=1, status="completed", conclusion=None), None)
    assert check.outcome == "bad"
    assert review(rest.Review(id=1, state="ADORED")).verdict == "commented"
    assert check_of_run(rest.CheckRun(id=2, status="waiting"), None).outcome == "pending"


def test_a_check_that_has_not_begun_is_newer_than_one_that_has() -> None:
    old = check_of_run(rest.CheckRun(id=2, status="completed", conclusion="failure", started_at=NOW), None)
    new = check_of_run(rest.CheckRun(id=1, status="queued"), None)
    assert newest([(("a",), new), (("a",), old)]) == [new]


@pytest.mark.parametrize(
    ("state", "mergeable", "word", "expected"),
    [
        ("open", True, "clean", "yes"), ("open", True, "unstable", "yes"), ("open", False, "dirty", "conflicts"),
        ("open", True, "blocked", "blocked"), ("open", True, "behind", "behind"), ("open", None, "clean", "unknown"),
        ("open", True, "unknown", "unknown"), ("open", False, "unknown", "conflicts"),
        ("closed", True, "clean", "unknown"),
    ],
)  # fmt: skip
def test_whether_it_can_be_merged_is_one_word(state: str, mergeable: bool | None, word: str, expected: str) -> None:
    side = rest.Side(ref="x", sha="1" * 40)
    told = rest.Pull(number=1, head=side, base=side, state=state, mergeable=mergeable, mergeable_state=word)
    found = pull_request(RepositoryId(host="github.com", owner="octo", name="app"), told)
    assert (found.mergeable, found.head_repository) == (expected, None)


@LOOP
async def test_what_github_still_works_out_is_asked_again(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature", {"a.py": "x = 1\n"})
    pull = repo.open_pull("feature")
    waits = Waits()
    async with client_to(github, waits=waits) as client:
        pull.value.mergeable_unknown = 2
        assert (await client.pulls.settled(1)).mergeable == "yes"
        assert waits.slept == [2.0, 2.0]
        pull.value.mergeable_unknown = 9
        assert (await client.pulls.settled(1)).mergeable == "unknown"
        assert waits.slept == [2.0] * 5


@LOOP
async def test_what_may_not_be_known_is_unknown_and_the_rest_is_told(github: FakeGitHub) -> None:
    repo = github.add_repo("octo/app")
    sha = repo.push("feature", {"a.py": "x = 1\n"})
    repo.workflow(sha, {"test": "failure"}, name="CI")
    github.fail(faults.missing_right(), on="GET /repos/*/actions/runs", times=None)
    github.fail(faults.refused(404, "Not Found"), on="GET /repos/*/branches/main")
    github.fail(faults.server_error(), on="GET /repos/*/branches/feature", times=None)
    async with client_to(github) as client:
        assert [(one.name, one.workflow, one.outcome) for one in (await client.checks.of_commit(sha)).items] == [
            ("test", "", "bad")
        ]
        assert await client.repositories.required_checks("main") is None
        with pytest.raises(GitHubError):
            await client.repositories.required_checks("feature")
        with pytest.raises(GitHubError) as missing:
            await client.threads.of_request(7)
        assert missing.value.kind == "not_found"
        with pytest.raises(GitHubError) as default:
            await client.repositories.delete_branch("main")
        assert default.value.kind == "invalid"
