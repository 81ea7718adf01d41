"""ThreadCalls: review threads, which only GraphQL has: their comments, replies, resolving."""

from desktop.domain.pulls.pull_request import Comment, RepositoryId, ReviewThread
from desktop.services.github import graphql_models as graph
from desktop.services.github.place import Place
from desktop.services.github.problems import NOT_FOUND, failure
from desktop.services.github.transport import MAX_ITEMS, MAX_PAGES, Listed

_COMMENT = """
fragment CommentParts on PullRequestReviewComment {
  id fullDatabaseId body createdAt lastEditedAt url viewerDidAuthor diffHunk
  author { __typename login }
}
"""
THREADS = (
    """
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line startLine diffSide viewerCanReply viewerCanResolve viewerCanUnresolve
          resolvedBy { login }
          comments(first: 50) { pageInfo { hasNextPage endCursor } nodes { ...CommentParts } }
        }
      }
    }
  }
}
"""
    + _COMMENT
)
MORE_COMMENTS = (
    """
query MoreComments($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...CommentParts } }
    }
  }
}
"""
    + _COMMENT
)
OWNER = """
query ThreadOwner($id: ID!) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      pullRequest { number }
      repository { name owner { login } }
    }
  }
}
"""
REPLY = (
    """
mutation Reply($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: $body}) {
    comment { ...CommentParts }
  }
}
"""
    + _COMMENT
)
DELETE = """
mutation Delete($id: ID!) { deletePullRequestReviewComment(input: {id: $id}) { pullRequestReviewComment { id } } }
"""
RESOLVE = """
mutation Resolve($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }
"""
UNRESOLVE = """
mutation Unresolve($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }
"""


class ThreadCalls:
    """Calls about threads of review comments. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def of_request(self, number: int) -> Listed[ReviewThread]:
        """The threads of a request with all their comments."""
        found: list[ReviewThread] = []
        after: str | None = None
        more = True
        for _ in range(MAX_PAGES):
            repository = self._place.repository
            told = await self._place.transport.query(
                THREADS,
                {"owner": repository.owner, "name": repository.name, "number": number, "after": after},
                graph.ThreadsData,
            )
            page = told.threads
            if page is None:
                raise failure("not_found", NOT_FOUND)
            for node in page.nodes:
                found.append(await self._whole(node))
            after = page.page_info.end_cursor
            more = page.page_info.has_next_page
            if not more or len(found) >= MAX_ITEMS:
                break
        return Listed(tuple(found[:MAX_ITEMS]), more or len(found) > MAX_ITEMS)

    async def owner(self, thread_id: str) -> tuple[RepositoryId, int]:
        """The repository and the number of the request that a thread belongs to, by the server's own answer."""
        told = await self._place.transport.query(OWNER, {"id": thread_id}, graph.OwnerData)
        node = told.node
        if node is None or node.pull_request is None or node.repository is None:
            raise failure("not_found", NOT_FOUND)
        host = self._place.repository.host
        owner = RepositoryId(host=host, owner=node.repository.owner.login, name=node.repository.name)
        return owner, node.pull_request.number

    async def reply(self, thread_id: str, body: str) -> Comment:
        """A reply by this account."""
        told = await self._place.transport.mutate(REPLY, {"id": thread_id, "body": body}, graph.ReplyData)
        return graph.comment(told.reply.comment)

    async def delete_comment(self, comment_id: str) -> None:
        """A comment of this account is gone."""
        await self._place.transport.mutate(DELETE, {"id": comment_id}, graph.DeletedData)

    async def set_resolved(self, thread_id: str, *, resolved: bool) -> None:
        """Resolve a thread, or open it again."""
        told = await self._place.transport.mutate(
            RESOLVE if resolved else UNRESOLVE, {"id": thread_id}, graph.ResolvedData
        )
        if told.is_resolved != resolved:
            raise failure("invalid", "GitHub did not change the thread. Refresh and try again.")

    async def _whole(self, node: graph.Thread) -> ReviewThread:
        comments = list(node.comments.nodes)
        info = node.comments.page_info
        for _ in range(MAX_PAGES):
            if not info.has_next_page or len(comments) >= MAX_ITEMS:
                break
            told = await self._place.transport.query(
                MORE_COMMENTS, {"id": node.id, "after": info.end_cursor}, graph.MoreData
            )
            if told.node is None:
                break
            comments += told.node.comments.nodes
            info = told.node.comments.page_info
        return graph.thread(node, comments[:MAX_ITEMS])
