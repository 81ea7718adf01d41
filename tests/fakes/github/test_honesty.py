"""The stand-in answers as GitHub publishes it, on every route, and tells who does not ask so."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.fakes.github import faults
from tests.fakes.github.graphql_answers import Root, schema
from tests.fakes.github.graphql_nodes import Graph, connection
from tests.fakes.github.honesty import description
from tests.fakes.github.model import Annotation
from tests.fakes.github.router import Urls
from tests.fakes.github.routes import ROUTES
from tests.fakes.github.stand_in import FakeGitHub

REPO = "/repos/octo/app"
THREADS = """
query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name, followRenames: false) { id databaseId name nameWithOwner isPrivate url
    owner { login id url avatarUrl resourcePath }
    pullRequest(number: $number) {
      id databaseId fullDatabaseId number title body isDraft state merged closed createdAt updatedAt closedAt mergedAt
      baseRefName baseRefOid headRefName headRefOid isCrossRepository mergeable mergeStateStatus reviewDecision
      additions deletions changedFiles url viewerCanUpdate viewerDidAuthor
      author { __typename login ... on User { id databaseId name } }
      headRepository { nameWithOwner } headRepositoryOwner { login } repository { name }
      reviewThreads(first: 1) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        edges { cursor node { id } }
        nodes { id path line originalLine startLine originalStartLine diffSide startDiffSide subjectType isOutdated
          isResolved isCollapsed viewerCanReply viewerCanResolve viewerCanUnresolve
          resolvedBy { login } pullRequest { number } repository { name }
          comments(last: 5) { totalCount edges { cursor } pageInfo { hasNextPage } nodes {
            id databaseId fullDatabaseId authorAssociation body bodyText createdAt publishedAt updatedAt lastEditedAt
            commit { id oid abbreviatedOid url } originalCommit { oid } path line startLine originalLine
            originalStartLine diffHunk outdated state isMinimized minimizedReason resourcePath url viewerDidAuthor
            author { __typename login ... on Bot { databaseId id } } replyTo { id } pullRequest { number }
            repository { name }
            pullRequestReview { id databaseId fullDatabaseId author { login } body authorAssociation state createdAt
              submittedAt url } } } } } } }
  viewer { login } rateLimit { cost limit nodeCount remaining resetAt used }
}"""
MUTATION = "mutation($id: ID!) { %s(input: {%s: $id}) { %s } }"
REPLY = """mutation($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: $body, clientMutationId: "a"}) {
    clientMutationId comment { body } } }"""


def graphql(github: FakeGitHub, http: httpx2.Client, query: str, **variables: object) -> dict[str, Any]:
    answer: dict[str, Any] = http.post(github.graphql_url, json={"query": query, "variables": variables}).json()
    return answer


def test_every_route_answers_as_described(github: FakeGitHub, http: httpx2.Client) -> None:
    github.add_token("octo", "fine", scopes=None, expires_at=datetime.now(UTC) + timedelta(days=9))
    repo = github.add_repo("octo/app")
    repo.collaborator("mona")
    sha = repo.push("feature", {"src/a b.py": "x = 1\n", "pic.png": b"\x89PNG\0\1"}, "Add x")
    pull = repo.open_pull("feature", title="Add x", body="Why")
    run = repo.workflow(sha, {"test": "failure", "lint": "success", "slow": "timed_out", "old": "stale"})
    check = repo.check(sha, "scan", "failure", annotations=[Annotation("src/a b.py", 1, "Bad")])
    repo.check(sha, "later", None)
    repo.status(sha, "ci/legacy", "error", "no", "http://ci.example/1")
    pull.comment("Please test", by="coderabbitai[bot]")
    pull.review("APPROVED", "Good")
    numbers = {"{pull_number}": "1", "{issue_number}": "1", "{ref}": sha, "{check_run_id}": str(check.id)}
    numbers |= {
        "{run_id}": str(run.id),
        "{job_id}": str(run.jobs[0].check.id),
        "{username}": "mona",
        "{branch}": "feature",
    }
    bodies: dict[str, dict[str, object]] = {
        "POST /pulls": {"title": "Two", "head": "two", "base": "main", "draft": True},
        "PATCH /pulls/{pull_number}": {"title": "Add x and y", "state": "open"},
        "POST /pulls/{pull_number}/requested_reviewers": {"reviewers": ["mona"]},
        "POST /issues/{issue_number}/labels": {"labels": ["bug"]},
        "POST /issues/{issue_number}/comments": {"body": "Done"},
        "POST /pulls/{pull_number}/reviews": {"event": "COMMENT", "body": "Hm"},
        "PUT /pulls/{pull_number}/update-branch": {"expected_head_sha": sha},
        "PUT /pulls/{pull_number}/merge": {"merge_method": "squash"},
    }
    repo.push("two")
    repo.push("three")
    repo.protect("feature", checks=["test"], by_ruleset=True)
    repo.push("main", message="Base moves on")
    last = [
        "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch",
        "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
    ]
    for method, route in sorted(ROUTES, key=lambda each: (last.index(each[1]) if each[1] in last else -1, each[1])):
        path = route.replace("{owner}/{repo}", "octo/app")
        path = path.replace("/git/refs/{ref}", "/git/refs/heads/three")
        for name, value in numbers.items():
            path = path.replace(name, value)
        body = bodies.get(f"{method} {route.removeprefix('/repos/{owner}/{repo}')}")
        answer = http.request(method, path, json=body) if body is not None else http.request(method, path)
        assert answer.status_code < 400, (method, path, answer.text)
    assert {(each.request.method, each.route) for each in github.exchanges} == set(ROUTES)
    assert pull.state == "merged"


def test_threads_and_their_changes_are_served_by_the_published_schema(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature", {"a.py": "one\ntwo\nthree\n"})
    pull = repo.open_pull("feature", draft=True)
    thread = pull.thread("a.py", 2, "Why two?", by="coderabbitai[bot]")
    pull.thread("a.py", 3, "And three?", start_line=2)
    shown = graphql(github, http, THREADS, owner="octo", name="app", number=1)
    assert "errors" not in shown
    threads = shown["data"]["repository"]["pullRequest"]["reviewThreads"]
    assert (threads["totalCount"], threads["pageInfo"]["hasNextPage"]) == (2, True)
    first = threads["nodes"][0]
    assert (first["line"], first["isOutdated"], first["isResolved"]) == (2, False, False)
    assert first["comments"]["nodes"][0]["author"]["login"] == "coderabbitai"
    assert first["comments"]["nodes"][0]["diffHunk"].endswith("+one\n+two")

    repo.push("feature", {"a.py": "zero\none\nTWO\nthree\n"})
    query = "query($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { line isOutdated } } }"
    assert graphql(github, http, query, id=thread.node_id)["data"]["node"] == {"line": None, "isOutdated": True}
    resolve = MUTATION % ("resolveReviewThread", "threadId", "thread { isResolved resolvedBy { login } }")
    done = graphql(github, http, resolve, id=thread.node_id)["data"]["resolveReviewThread"]["thread"]
    assert done == {"isResolved": True, "resolvedBy": {"login": "octo"}}
    unresolve = MUTATION % ("unresolveReviewThread", "threadId", "thread { isResolved }")
    graphql(github, http, unresolve, id=thread.node_id)
    graphql(github, http, REPLY, id=thread.node_id, body="Fixed")
    assert [comment.body for comment in thread.comments] == ["Why two?", "Fixed"]
    assert thread.resolved_by is None
    gone = MUTATION % ("deletePullRequestReviewComment", "id", "pullRequestReviewComment { id }")
    graphql(github, http, gone, id=thread.comments[-1].node_id)
    ready = MUTATION % ("markPullRequestReadyForReview", "pullRequestId", "pullRequest { isDraft }")
    graphql(github, http, ready, id=pull.value.node_id)
    assert not pull.value.draft
    again = graphql(github, http, ready, id=pull.value.node_id)
    assert again["errors"][0]["type"] == "UNPROCESSABLE"
    graphql(
        github,
        http,
        MUTATION % ("convertPullRequestToDraft", "pullRequestId", "clientMutationId"),
        id=pull.value.node_id,
    )
    assert pull.value.draft
    missing = graphql(github, http, query, id="PRRT_none")
    assert (missing["errors"][0]["type"], missing["data"]) == ("NOT_FOUND", {"node": None})


WRONG_REQUESTS: list[tuple[str, str, dict[str, str] | None, str]] = [
    ("POST", f"{REPO}/pulls", {"title": "x", "head": "a", "base": "main", "titel": "y"}, "'titel' was unexpected"),
    ("POST", f"{REPO}/pulls", {"title": "x", "head": "a"}, '"base" is a required property'),
    ("PATCH", f"{REPO}/pulls/1", {"state": "done"}, '"done" is not one of'),
    ("GET", f"{REPO}/pulls?stat=all", None, "query: stat is not a parameter"),
    ("GET", f"{REPO}/pulls?per_page=many", None, 'query: per_page: "many" is not of type "integer"'),
    ("GET", f"{REPO}/pulls/one", None, 'path: pull_number: "one" is not of type'),
    ("GET", f"{REPO}/milestones", None, "does not serve this route"),
]
WRONG_DOCUMENTS = [
    ("{ viewer { logn } }", "Cannot query field 'logn'"),
    ("{ viewer { login }", "Syntax Error"),
    ("query($id: ID!) { node(id: $id) { id } }", "Variable '$id' has invalid value"),
]


def test_what_is_not_asked_as_described_is_told(github: FakeGitHub, http: httpx2.Client) -> None:
    github.add_repo("octo/app")
    for method, path, body, told in WRONG_REQUESTS:
        http.request(method, path, json=body) if body is not None else http.request(method, path)
        assert any(told in each for each in github.take_departures()), told
    for query, told in WRONG_DOCUMENTS:
        assert graphql(github, http, query)["errors"]
        (departure,) = github.take_departures()
        assert told in departure
    http.post(f"{REPO}/pulls/1/reviews")
    assert not github.take_departures()


def test_all_that_is_in_the_cut_descriptions_is_served(github: FakeGitHub) -> None:
    assert set(description()["operations"]) == {f"{method} {route}" for method, route in ROUTES}
    repo = github.add_repo("octo/app")
    repo.push("feature", {"a.py": "1\n"})
    pull = repo.open_pull("feature")
    thread = pull.thread("a.py", 1, "Why?")
    github.add_account("acme", kind="Organization")
    account = github.world.account
    graph = Graph(github.world, account("octo"), Urls("", ""))
    items = connection("comments", thread.comments, lambda _: {}, {"first": 1})
    nodes = [
        Root(github.changes, account("octo"), github.world.tokens[github.token], Urls("", "")).fields(),
        graph.repo(repo.value), graph.pull(repo.value, pull.value), graph.thread(repo.value, pull.value, thread),
        graph.comment(repo.value, pull.value, thread, thread.comments[0]), graph.commit(repo.value, pull.head_sha),
        graph.review(repo.value, pull.value, thread.comments[0].review),
        *(graph.actor(account(login)) for login in ("octo", "bot[bot]", "acme")),
    ]  # fmt: skip
    kinds = {node.get("__typename", "Query"): node.keys() - {"__typename"} for node in nodes}
    kinds["Query"] -= schema().type_map["Mutation"].fields.keys()
    kinds |= {"PullRequestReviewThreadConnection": items.keys(), "PageInfo": items["pageInfo"].keys()}
    for kind, fields in kinds.items():
        assert fields == schema().type_map[kind].fields.keys(), kind


def test_a_wrong_field_in_an_answer_fails_the_test_at_its_end(tmp_path: Path) -> None:
    def ask() -> None:
        with FakeGitHub(tmp_path / "github") as github, httpx2.Client(base_url=github.api_url) as http:
            github.add_repo("octo/app", private=False).value.default_branch = 7  # type: ignore[assignment]
            assert http.get(REPO).status_code == 200

    with pytest.raises(AssertionError, match=r'default_branch: 7 is not of type "string"'):
        ask()


def test_a_scripted_refusal_has_the_shape_of_githubs(github: FakeGitHub, http: httpx2.Client) -> None:
    error = {"resource": "PullRequest", "code": "custom", "message": "No."}
    github.fail(faults.refused(422, "Validation Failed", [error]), on="POST /repos/*")
    body = http.post(f"{REPO}/pulls", json={"title": "x", "head": "a", "base": "main"}).json()
    assert (body["message"], body["errors"]) == ("Validation Failed", [error])
    github.fail(faults.refused(422, "Validation Failed", [{"kode": "custom"}]), on="GET /user")
    http.get("/user")
    assert "'kode' was unexpected" in "".join(github.take_departures())
    github.fail(faults.graphql_error("FORBIDDEN", "No."), on="POST /graphql viewer")
    assert graphql(github, http, "{ viewer { login } }")["errors"][0]["type"] == "FORBIDDEN"
