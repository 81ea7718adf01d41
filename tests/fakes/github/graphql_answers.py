"""GraphQL: the document is checked against GitHub's schema and executed over the state of the stand-in."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    execute_sync,
    parse,
    validate,
)

from tests.fakes.github.changes import Changes
from tests.fakes.github.graphql_nodes import Graph, GraphqlRefusal, Node
from tests.fakes.github.model import Account, Pull, Repo, Thread, Token
from tests.fakes.github.router import Urls
from tests.fakes.github.shapes import moment
from tests.fakes.github.talk import find_comment, find_thread, reply
from tests.fakes.github.wire import Answer, Request

SCHEMA = Path(__file__).parent / "schema/graphql.graphql"
FORBIDDEN = "Resource not accessible by personal access token"


@cache
def schema() -> GraphQLSchema:
    """The part of GitHub's schema that is served."""
    return build_schema(SCHEMA.read_text())


@cache
def _checked(source: str) -> tuple[DocumentNode | None, tuple[GraphQLError, ...]]:
    try:
        document = parse(source)
    except GraphQLError as error:
        return None, (error,)
    return document, tuple(validate(schema(), document))


def root_fields(request: Request) -> list[str]:
    """The names of the fields that the document asks of the root, [] if it cannot be read."""
    body = request.body
    document, _ = _checked(str(body.get("query", ""))) if isinstance(body, dict) else (None, ())
    names: list[str] = []
    for definition in document.definitions if document else ():
        if isinstance(definition, OperationDefinitionNode):
            names += [each.name.value for each in definition.selection_set.selections if hasattr(each, "name")]
    return names


def wrong_document(request: Request) -> list[str]:
    """In which way the body or its document departs from the schema; [] if in none."""
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return ["no query"]
    extra = sorted(body.keys() - {"query", "variables", "operationName"})
    unknown = [f"the body has a field {name!r} that GraphQL over HTTP does not know" for name in extra]
    errors = _checked(body["query"])[1]
    return unknown + [f"the document departs from GitHub's schema: {error.message}" for error in errors]


def answer_graphql(
    request: Request, changes: Changes, viewer: Account, token: Token, urls: Urls
) -> tuple[Answer, list[str]]:
    """The answer, always with status 200, and in which way variables or answer depart from the schema."""
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return Answer(400, {"message": "A query attribute must be specified and must be a string."}), []
    document, errors = _checked(body["query"])
    if document is None or errors:
        return Answer(200, {"errors": [error.formatted for error in errors]}), []
    departures: list[str] = []
    result = execute_sync(
        schema(), document, Root(changes, viewer, token, urls).fields(), variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"), field_resolver=_resolve,
    )  # fmt: skip
    shown: dict[str, Any] = {"data": result.data}
    for error in result.errors or ():
        entry: dict[str, Any] = {**error.formatted}
        if isinstance(error.original_error, GraphqlRefusal):
            entry = {"type": error.original_error.kind, **entry}
        else:
            departures.append(f"variables or answer depart from GitHub's schema: {error.message}")
        shown.setdefault("errors", []).append(entry)
    return Answer(200, shown), departures


def _resolve(source: Mapping[str, Any], info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
    value = source[info.field_name]
    return value(**arguments) if callable(value) else value


class Root:
    """The fields of queries and mutations."""

    def __init__(self, changes: Changes, viewer: Account, token: Token, urls: Urls) -> None:
        self.changes, self.viewer, self.token, self.world = changes, viewer, token, changes.world
        self.graph = Graph(changes.world, viewer, urls)

    def fields(self) -> Node:
        return {
            "id": "Q_kwDO",
            "viewer": lambda: self.graph.actor(self.viewer),
            "repository": self._repository,
            "node": self._node,
            "rateLimit": self._rate,
            "resolveReviewThread": lambda input: self._settle(input, self.viewer),
            "unresolveReviewThread": lambda input: self._settle(input, None),
            "addPullRequestReviewThreadReply": self._reply,
            "deletePullRequestReviewComment": self._delete_comment,
            "convertPullRequestToDraft": lambda input: self._draft(input, True),
            "markPullRequestReadyForReview": lambda input: self._draft(input, False),
        }

    def _rate(self, dryRun: bool = False) -> Node:  # noqa: N803  GitHub's name
        now = moment(self.world.now())
        return {"cost": 1, "limit": 5000, "nodeCount": 0, "remaining": 4999, "resetAt": now, "used": 1}

    def _repository(self, owner: str, name: str, followRenames: bool = True) -> Node:  # noqa: N803  GitHub's name
        repo = self.world.repo_named(owner, name)
        if repo is None and followRenames:
            repo = self.world.repos.get(self.world.old_names.get(f"{owner}/{name}".lower(), 0))
        if repo is None or not self._sees(repo):
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise GraphqlRefusal("NOT_FOUND", message)
        return self.graph.repo(repo)

    def _node(self, id: str) -> Node:
        found = find_thread(self.world, id)
        if found is not None and self._sees(found[0]):
            return self.graph.thread(*found)
        for repo in self.world.repos.values():
            if not self._sees(repo):
                continue
            if repo.node_id == id:
                return self.graph.repo(repo)
            for pull in repo.pulls.values():
                if pull.node_id == id:
                    return self.graph.pull(repo, pull)
        raise _no_node(id)

    def _thread(self, id: str) -> tuple[Repo, Pull, Thread]:
        found = find_thread(self.world, id)
        if found is None or not self._sees(found[0]):
            raise _no_node(id)
        return found

    def _sees(self, repo: Repo) -> bool:
        return repo.allows(self.viewer, "read") and self.token.reaches(private=repo.private, writing=False)

    def _settle(self, input: dict[str, Any], by: Account | None) -> Node:
        repo, pull, thread = self._thread(input["threadId"])
        self._may_change(repo, pull)
        thread.resolved_by = by
        return {"clientMutationId": input.get("clientMutationId"), "thread": self.graph.thread(repo, pull, thread)}

    def _reply(self, input: dict[str, Any]) -> Node:
        repo, pull, thread = self._thread(input["pullRequestReviewThreadId"])
        if not self.token.reaches(private=repo.private, writing=True):
            raise GraphqlRefusal("FORBIDDEN", FORBIDDEN)
        if not input["body"].strip():
            raise GraphqlRefusal("UNPROCESSABLE", "Body cannot be blank")
        comment = reply(self.world, pull, thread, self.viewer, input["body"])
        shown = self.graph.comment(repo, pull, thread, comment)
        return {"clientMutationId": input.get("clientMutationId"), "comment": shown}

    def _delete_comment(self, input: dict[str, Any]) -> Node:
        found = find_comment(self.world, input["id"])
        if found is None or not self._sees(found[0]):
            raise _no_node(input["id"])
        repo, pull, thread, comment = found
        may = comment.author is self.viewer or repo.allows(self.viewer, "write")
        if not may or not self.token.reaches(private=repo.private, writing=True):
            raise GraphqlRefusal("FORBIDDEN", FORBIDDEN)
        shown = self.graph.comment(repo, pull, thread, comment)
        thread.comments.remove(comment)
        return {
            "clientMutationId": input.get("clientMutationId"), "pullRequestReview": None,
            "pullRequestReviewComment": shown,
        }  # fmt: skip

    def _draft(self, input: dict[str, Any], draft: bool) -> Node:
        id = input["pullRequestId"]
        found = [(r, p) for r in self.world.repos.values() for p in r.pulls.values() if p.node_id == id]
        if not found or not self._sees(found[0][0]):
            raise _no_node(id)
        repo, pull = found[0]
        self._may_change(repo, pull)
        if pull.state != "open" or pull.draft == draft:
            why = "is already a draft" if draft else "is not a draft"
            raise GraphqlRefusal("UNPROCESSABLE", f"Pull request {why if pull.state == 'open' else 'is closed'}")
        pull.draft, pull.updated_at = draft, self.world.now()
        return {"clientMutationId": input.get("clientMutationId"), "pullRequest": self.graph.pull(repo, pull)}

    def _may_change(self, repo: Repo, pull: Pull) -> None:
        may = pull.author is self.viewer or repo.allows(self.viewer, "write")
        if not may or not self.token.reaches(private=repo.private, writing=True):
            raise GraphqlRefusal("FORBIDDEN", FORBIDDEN)


def _no_node(id: str) -> GraphqlRefusal:
    return GraphqlRefusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'.")
