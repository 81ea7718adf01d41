"""Everything that can go wrong between the client and GitHub, over the stand-in."""

import asyncio
import shutil
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.config.settings import GitHubHost
from desktop.domain.github.values import GitHubError, RateState
from desktop.services.github.client import GitHubClient
from desktop.services.github.hosts import address_of
from desktop.services.github.limits import LimitWatch
from desktop.services.github.pace import ExchangeLimits
from desktop.services.github.transport import Transport
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.github.wire import Answer
from tests.services.github.github_rig import Waits, client_to, utc_now

pytestmark = pytest.mark.asyncio

PULLS = "GET /repos/*/pulls"
CREATE = "POST /repos/*/pulls"


async def failing(call: Awaitable[object]) -> GitHubError:
    with pytest.raises(GitHubError) as caught:
        await call
    return caught.value


def creating(client: GitHubClient) -> Awaitable[object]:
    return client.pulls.create("Add x", "", head="feature", base="main")


@pytest.fixture
def github(github: FakeGitHub) -> FakeGitHub:
    github.add_repo("octo/app").push("feature", {"a.py": "x = 1\n"})
    return github


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faults.bad_credentials, "unauthorised", "The token is not accepted. Sign in again."),
        (faults.missing_right, "forbidden", "This account may not do that: Resource not accessible by personal"),
        (lambda: faults.refused(404, "Not Found"), "not_found", "Not found, or this token cannot see it."),
        (lambda: faults.refused(409, "Head branch was modified"), "conflict", "Head branch was modified"),
        (
            lambda: faults.refused(422, "Validation Failed", [{"resource": "Pull", "field": "head", "code": "x"}]),
            "invalid", "Validation Failed: head x",
        ),
        (lambda: faults.refused(410, "Gone"), "not_found", "does not keep this any longer"),
    ],
)  # fmt: skip
async def test_a_refusal_is_told_once(
    github: FakeGitHub, fault: Callable[[], faults.Fault], kind: str, words: str
) -> None:
    github.fail(fault(), times=None)
    async with client_to(github) as client:
        for call in (client.pulls.open_ones(), creating(client)):
            error = await failing(call)
            assert error.kind == kind
            assert words in str(error)
            assert not error.answer_lost
    assert len(github.exchanges) == 2


@pytest.mark.promise("lanes-G22")
@pytest.mark.parametrize(
    ("fault", "kind"),
    [(faults.server_error, "server"), (faults.offline, "offline"), (faults.truncated, "bad_answer")],
)
async def test_reads_are_asked_again_three_times_and_writes_never(
    github: FakeGitHub, fault: Callable[[], faults.Fault], kind: str
) -> None:
    waits = Waits()
    async with client_to(github, waits=waits) as client:
        github.fail(fault(), on=PULLS, times=3)
        assert (await client.pulls.open_ones()).items == ()
        assert [0.75 <= slept / base <= 1.25 for slept, base in zip(waits.slept, (1, 2, 4), strict=True)] == [True] * 3
        github.fail(fault(), on="POST /graphql repository", times=4)
        made = github.repo("octo/app").open_pull("feature")
        assert (await failing(client.threads.of_request(made.number))).kind == kind
        made.close()
        github.fail(fault(), on=CREATE)
        error = await failing(creating(client))
        assert (error.kind, error.answer_lost) == (kind, True)
    assert len(github.asked(CREATE)) == 1
    assert len(github.asked(PULLS)) == 4


async def test_an_answer_that_was_lost_can_be_looked_up(github: FakeGitHub) -> None:
    """The request exists, and is not made twice."""
    async with client_to(github) as client:
        github.fail(faults.answer_lost(), on=CREATE)
        assert (await failing(creating(client))).answer_lost
        assert [one.number for one in await client.pulls.of_branch("feature")] == [1]


async def test_who_cannot_be_reached_was_sent_nothing(github: FakeGitHub) -> None:
    async with client_to(github) as client:
        github.fail(faults.bad_credentials(), on="GET /repos/*/status")
        assert (await failing(client.checks.of_commit("feature"))).kind == "unauthorised"
        github.close()
        error = await failing(creating(client))
        assert (error.kind, error.answer_lost) == ("offline", False)
        assert "could not be reached" in str(error)
        assert (await failing(client.pulls.open_ones())).kind == "offline"


async def test_an_answer_that_takes_too_long_is_given_up(github: FakeGitHub) -> None:
    github.fail(faults.slow(5), on=CREATE)
    async with client_to(github, limits=ExchangeLimits(total_s=0.2)) as client:
        error = await failing(creating(client))
        assert (error.kind, error.answer_lost) == ("offline", True)
        assert "did not answer within 0.2 s" in str(error)


async def test_a_body_that_is_too_large_is_not_read(github: FakeGitHub) -> None:
    async with client_to(github, limits=ExchangeLimits(max_bytes=100)) as client:
        assert (await failing(client.repositories.facts())).kind == "too_large"
    github.fail(faults.Fault("list", Answer(200, raw=b"[1, 2]")), on="GET /repos/octo/app")
    async with client_to(github) as client:
        error = await failing(client.repositories.facts())
        assert error.kind == "bad_answer"
        assert "something else than expected" in str(error)


@pytest.mark.promise("lanes-G21")
async def test_a_used_up_quota_stops_everything_until_the_reset(github: FakeGitHub) -> None:
    told: list[RateState] = []
    waits = Waits()
    async with client_to(github, waits=waits, changed=told.append) as client:
        reset = waits.now() + timedelta(seconds=600)
        github.fail(faults.rate_limited(int(reset.timestamp())), on=PULLS)
        error = await failing(client.pulls.open_ones())
        assert error.kind == "rate_limited"
        assert error.problem.until is not None
        assert abs((error.problem.until - reset).total_seconds()) < 3
        assert str(error) == f"GitHub asks to wait until {error.problem.until.astimezone():%H:%M}."
        for call in (client.pulls.open_ones(), creating(client), client.repositories.facts()):
            assert (await failing(call)).kind == "rate_limited"
        assert len(github.exchanges) == 1
        assert client.rate.wait_until is not None
        waits.ahead += timedelta(seconds=605)
        assert client.rate.wait_until is None
        assert (await client.pulls.open_ones()).items == ()
    assert [bool(state.wait_until) for state in told] == [True, False]


async def test_a_small_rest_of_the_quota_is_told(github: FakeGitHub) -> None:
    told: list[RateState] = []
    async with client_to(github, changed=told.append) as client:
        github.rate.remaining = 450
        await client.pulls.open_ones()
        assert client.rate.slow
        assert [state.slow for state in told] == [True]


@pytest.mark.promise("lanes-G21")
@pytest.mark.parametrize("status", [403, 429])
async def test_a_secondary_limit_is_obeyed_before_anything_is_asked(github: FakeGitHub, status: int) -> None:
    waits = Waits()
    async with client_to(github, waits=waits) as client:
        github.fail(faults.secondary_limit(90, status=status), on=PULLS)
        error = await failing(client.pulls.open_ones())
        assert error.problem.until is not None
        assert abs((error.problem.until - waits.now()).total_seconds() - 90) < 3
        assert (await failing(client.pulls.open_ones())).kind == "rate_limited"
        assert (await failing(creating(client))).kind == "rate_limited"
        assert len(github.exchanges) == 1
        waits.ahead += timedelta(seconds=70)
        assert (await client.pulls.create("Add x", "", head="feature", base="main")).number == 1
        assert 15 < waits.slept[-2] < 22  # a write waits when less than 30 s are left


async def test_without_a_time_the_wait_doubles_up_to_a_quarter_of_an_hour(github: FakeGitHub) -> None:
    waits = Waits()
    async with client_to(github, waits=waits) as client:
        github.fail(faults.secondary_limit(None), on=PULLS, times=6)
        found = []
        for _ in range(6):
            error = await failing(client.pulls.open_ones())
            assert error.problem.until is not None
            found.append(round((error.problem.until - waits.now()).total_seconds()))
            waits.ahead += timedelta(seconds=found[-1] + 1)
        assert found == [60, 120, 240, 480, 900, 900]


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("NOT_FOUND", "Could not resolve", "not_found"),
        ("FORBIDDEN", "Resource not accessible", "forbidden"),
        ("UNPROCESSABLE", "Pull request is closed", "invalid"),
        ("RATE_LIMITED", "API rate limit exceeded", "rate_limited"),
    ],
)
async def test_errors_of_graphql_come_with_status_200(
    github: FakeGitHub, kind: str, message: str, expected: str
) -> None:
    github.fail(faults.graphql_error(kind, message), on="POST /graphql*")
    async with client_to(github) as client:
        assert (await failing(client.threads.of_request(1))).kind == expected


async def test_a_missing_right_is_named(github: FakeGitHub) -> None:
    def lacks(headers: dict[str, str]) -> faults.Fault:
        fault = faults.missing_right()
        assert fault.instead is not None
        fault.instead.headers |= headers
        return fault

    async with client_to(github) as client:
        github.fail(lacks({"X-Accepted-GitHub-Permissions": "pull_requests=write"}), on=CREATE)
        assert (await failing(creating(client))).problem.right == "pull_requests=write"
        github.fail(lacks({"X-OAuth-Scopes": "read:org", "X-Accepted-OAuth-Scopes": "repo"}), on=CREATE)
        assert "lacks the right repo." in str(await failing(creating(client)))
        github.fail(lacks({"X-GitHub-SSO": "required; url=https://github.com/orgs/x/sso"}), on=CREATE)
        assert "single sign-on" in str(await failing(creating(client)))


@pytest.mark.promise("lanes-G20")
async def test_nothing_changed_is_answered_from_what_was_kept(github: FakeGitHub) -> None:
    """And never with what was kept for another token."""
    github.add_token("octo", "ghp_new")
    given = [SecretStr("ghp_new")]

    async def renew() -> SecretStr | None:
        return given.pop() if given else None

    async with client_to(github, renew=renew) as client:
        first = await client.repositories.facts()
        assert await client.repositories.facts() == first
        github.world.tokens[github.token].revoked = True
        assert await client.repositories.facts() == first
        assert await client.repositories.facts() == first
        github.world.tokens["ghp_new"].revoked = True
        assert (await failing(client.repositories.facts())).kind == "unauthorised"
    assert [exchange.status for exchange in github.exchanges] == [200, 304, 401, 200, 304, 401]
    assert "if-none-match" not in github.exchanges[3].request.headers


@pytest.mark.promise("lanes-G19")
async def test_the_token_never_goes_to_the_host_of_logs(github: FakeGitHub) -> None:
    repo = github.repo("octo/app")
    sha = repo.head("feature")
    assert sha is not None
    run = repo.workflow(sha, {"test": "failure"}, log="line\n" * 3)
    async with client_to(github) as client:
        assert (await client.checks.job_log(run.jobs[0].check.id))[0] == "line\n" * 3
    assert [request.headers.get("authorization") for request in github.log_requests] == [None]
    assert all(github.token not in str(value) for value in github.log_requests[0].headers.values())


@pytest.mark.promise("lanes-G19")
async def test_a_redirect_to_another_host_is_not_followed(github: FakeGitHub) -> None:
    moved = Answer(301, {"message": "Moved"}, {"Location": "https://elsewhere.example/repos/octo/app"})
    github.fail(faults.Fault("moved", moved), on="GET /repos/octo/app")
    plain = Answer(302, headers={"Location": "http://logs.example/1"})
    github.fail(faults.Fault("log", plain), on="GET /repos/*/logs")
    following = Answer(200, [], {"Link": '<https://elsewhere.example/page2>; rel="next"'})
    github.fail(faults.Fault("page", following), on=PULLS, times=None)
    async with client_to(github) as client:
        error = await failing(client.repositories.facts())
        assert (error.kind, "another host" in str(error)) == ("bad_answer", True)
        assert "without https" in str(await failing(client.checks.job_log(7)))
        assert "another host" in str(await failing(client.pulls.open_ones()))
    github.take_departures()


async def test_writes_follow_each_other_and_reads_are_two_at_once(github: FakeGitHub) -> None:
    waits = Waits()
    async with client_to(github, waits=waits, write_every_s=100.0) as client:
        await asyncio.gather(*(client.comments.post(await_pull(github), f"Comment {number}") for number in range(3)))
        assert sum(slept > 50 for slept in waits.slept) == 2
        github.fail(faults.slow(0.1), on=PULLS, times=None)
        begun = time.monotonic()
        await asyncio.gather(*(client.pulls.of_branch(f"b{number}") for number in range(4)))
        assert time.monotonic() - begun >= 0.2


def await_pull(github: FakeGitHub) -> int:
    repo = github.repo("octo/app")
    return repo.pulls[0].number if repo.pulls else repo.open_pull("feature").number


async def test_at_most_a_thousand_things_are_listed(github: FakeGitHub) -> None:
    pull = github.repo("octo/app").open_pull("feature")
    for number in range(1_001):
        pull.comment(f"Comment {number}")
    async with client_to(github) as client:
        found = await client.comments.comments(pull.number)
        assert (len(found.items), found.capped) == (1_000, True)


async def test_a_write_that_was_refused_for_its_token_is_sent_with_the_new_one(github: FakeGitHub) -> None:
    github.add_token("octo", "ghp_new")

    async def renew() -> SecretStr | None:
        return SecretStr("ghp_new")

    async with client_to(github, token="ghp_old", renew=renew) as client:
        await creating(client)
    assert [exchange.status for exchange in github.exchanges] == [401, 201]


async def test_a_certificate_that_is_not_trusted_ends_it_before_the_token_is_sent(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())

    server = await asyncio.start_server(listen, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    address = address_of(GitHubHost(host="ghe.example", api_url=f"https://127.0.0.1:{port}"))
    transport = Transport(address, SecretStr("ghp_x"), LimitWatch("ghe.example", utc_now))
    error = await failing(transport.answer(f"{address.api}/user"))
    assert (error.kind, "is not trusted" in str(error)) == ("bad_answer", True)
    await transport.close()
    server.close()
    assert b"ghp_x" not in b"".join(heard)
