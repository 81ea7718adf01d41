"""The part of GitHub's GraphQL schema that the stand-in serves."""

from dataclasses import replace
from typing import Any

from graphql import (
    DocumentNode,
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    TypeNode,
    parse,
    print_ast,
)

# Types with the fields that are served. Input types, enumerations and scalars come along where they are named.
SERVED_FIELDS = {
    "Query": "id node repository viewer rateLimit",
    "Mutation": "addPullRequestReviewThreadReply convertPullRequestToDraft deletePullRequestReviewComment "
    "markPullRequestReadyForReview resolveReviewThread unresolveReviewThread",
    "Node": "id",
    "Actor": "avatarUrl login resourcePath url",
    "RepositoryOwner": "avatarUrl id login resourcePath url",
    "User": "avatarUrl databaseId id login name resourcePath url",
    "Bot": "avatarUrl databaseId id login resourcePath url",
    "Organization": "avatarUrl databaseId id login name resourcePath url",
    "RateLimit": "cost limit nodeCount remaining resetAt used",
    "PageInfo": "endCursor hasNextPage hasPreviousPage startCursor",
    "Repository": "databaseId forks id isPrivate name nameWithOwner owner pullRequest url",
    "RepositoryConnection": "edges nodes pageInfo totalCount",
    "RepositoryEdge": "cursor node",
    "PullRequest": "additions author baseRefName baseRefOid body changedFiles closed closedAt createdAt databaseId "
    "deletions fullDatabaseId headRefName headRefOid headRepository headRepositoryOwner id isCrossRepository isDraft "
    "mergeStateStatus mergeable merged mergedAt number repository reviewDecision reviewThreads state title updatedAt "
    "url viewerCanUpdate viewerDidAuthor",
    "PullRequestReviewThreadConnection": "edges nodes pageInfo totalCount",
    "PullRequestReviewThreadEdge": "cursor node",
    "PullRequestReviewThread": "comments diffSide id isCollapsed isOutdated isResolved line originalLine "
    "originalStartLine path pullRequest repository resolvedBy startDiffSide startLine subjectType viewerCanReply "
    "viewerCanResolve viewerCanUnresolve",
    "PullRequestReviewCommentConnection": "edges nodes pageInfo totalCount",
    "PullRequestReviewCommentEdge": "cursor node",
    "PullRequestReviewComment": "author authorAssociation body bodyText commit createdAt databaseId diffHunk "
    "fullDatabaseId id isMinimized lastEditedAt line minimizedReason originalCommit originalLine originalStartLine "
    "outdated path publishedAt pullRequest pullRequestReview replyTo repository resourcePath startLine state "
    "updatedAt url viewerDidAuthor",
    "PullRequestReview": "author authorAssociation body createdAt databaseId fullDatabaseId id state submittedAt url",
    "Commit": "abbreviatedOid id oid url",
    "AddPullRequestReviewThreadReplyPayload": "clientMutationId comment",
    "ConvertPullRequestToDraftPayload": "clientMutationId pullRequest",
    "DeletePullRequestReviewCommentPayload": "clientMutationId pullRequestReview pullRequestReviewComment",
    "MarkPullRequestReadyForReviewPayload": "clientMutationId pullRequest",
    "ResolveReviewThreadPayload": "clientMutationId thread",
    "UnresolveReviewThreadPayload": "clientMutationId thread",
}


def trimmed(source: str) -> str:
    """That schema text with the served fields only, their arguments and types whole, without prose.

    Raises:
        KeyError: a field in the list is not GitHub's.
    """
    known: dict[str, Any] = {node.name.value: node for node in parse(source).definitions if hasattr(node, "name")}
    kept: dict[str, Any] = {}
    wanted = list(SERVED_FIELDS)
    while wanted:
        name = wanted.pop()
        if name not in kept and name in known:
            kept[name], named = _served(name, known[name])
            wanted += named
    return print_ast(DocumentNode(definitions=tuple(kept[name] for name in sorted(kept)))) + "\n"


def _served(name: str, node: Any) -> tuple[Any, list[str]]:
    """The definition as it is kept, and the types it names."""
    bare = replace(node, description=None, directives=())
    if isinstance(node, EnumTypeDefinitionNode):
        return replace(bare, values=tuple(_bare(value) for value in node.values or ())), []
    if isinstance(node, InputObjectTypeDefinitionNode):
        inputs = node.fields or ()
        return replace(bare, fields=tuple(_bare(field) for field in inputs)), [_named(field.type) for field in inputs]
    if not isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        return bare, []
    given = {field.name.value: field for field in node.fields or ()}
    fields = [given[field] for field in sorted(SERVED_FIELDS[name].split())]
    named = [_named(field.type) for field in fields]
    named += [_named(argument.type) for field in fields for argument in field.arguments or ()]
    shown = tuple(
        replace(_bare(field), arguments=tuple(_bare(argument) for argument in field.arguments or ()))
        for field in fields
    )
    interfaces = tuple(each for each in node.interfaces or () if each.name.value in SERVED_FIELDS)
    return replace(bare, fields=shown, interfaces=interfaces), named


def _bare(node: Any) -> Any:
    return replace(node, description=None, directives=())


def _named(node: TypeNode) -> str:
    while isinstance(node, ListTypeNode | NonNullTypeNode):
        node = node.type
    assert isinstance(node, NamedTypeNode)
    return node.name.value
