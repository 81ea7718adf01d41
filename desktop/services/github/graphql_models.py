"""The answers of GitHub's GraphQL interface about review threads and forks, and the values that they become."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from desktop.domain.pulls.pull_request import Author, ReviewThread
from desktop.domain.pulls.pull_request import Comment as DomainComment


class _Node(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Actor(_Node):
    """The account that did something."""

    login: str = ""
    kind: str = Field(default="User", validation_alias=AliasChoices("__typename", "kind"))


class PageInfo(_Node):
    """Whether more follows, and how to ask for it."""

    has_next_page: bool = False
    end_cursor: str | None = None


class Comment(_Node):
    """A comment of a thread. `full_database_id`: a number, as a text."""

    id: str
    full_database_id: int | None = None
    body: str = ""
    created_at: datetime | None = None
    last_edited_at: datetime | None = None
    url: str = ""
    viewer_did_author: bool = False
    diff_hunk: str = ""
    author: Actor | None = None


class Comments(_Node):
    """A page of comments."""

    page_info: PageInfo = PageInfo()
    nodes: list[Comment] = []


class Thread(_Node):
    """A thread with the first page of its comments."""

    id: str
    is_resolved: bool = False
    is_outdated: bool = False
    path: str = ""
    line: int | None = None
    start_line: int | None = None
    diff_side: str = "RIGHT"
    viewer_can_reply: bool = True
    viewer_can_resolve: bool = True
    viewer_can_unresolve: bool = True
    resolved_by: Actor | None = None
    comments: Comments = Comments()


class Threads(_Node):
    """A page of threads."""

    page_info: PageInfo
    nodes: list[Thread]


class _Pull(_Node):
    review_threads: Threads


class _Repository(_Node):
    pull_request: _Pull | None = None


class ThreadsData(_Node):
    """The answer to the query of threads."""

    repository: _Repository | None = None

    @property
    def threads(self) -> Threads | None:
        """The page; None: there is no such request."""
        pull = self.repository.pull_request if self.repository is not None else None
        return pull.review_threads if pull is not None else None


class _MoreNode(_Node):
    comments: Comments


class MoreData(_Node):
    """Another page of a thread's comments."""

    node: _MoreNode | None = None


class _Number(_Node):
    number: int


class _Named(_Node):
    name: str
    owner: Actor


class _Forks(_Node):
    nodes: list[_Named | None]


class _Forked(_Node):
    forks: _Forks


class ForksData(_Node):
    """The account's own forks of a repository."""

    repository: _Forked | None = None

    @property
    def named(self) -> list[tuple[str, str]]:
        """Owner and name of each."""
        forks = self.repository.forks.nodes if self.repository is not None else []
        return [(one.owner.login, one.name) for one in forks if one is not None]


class _OwnerNode(_Node):
    pull_request: _Number | None = None
    repository: _Named | None = None


class OwnerData(_Node):
    """Whose a thread is."""

    node: _OwnerNode | None = None


class _Reply(_Node):
    comment: Comment


class ReplyData(_Node):
    """The reply that was made."""

    reply: _Reply = Field(validation_alias="addPullRequestReviewThreadReply")


class _Gone(_Node):
    """Nothing of it is used."""


class DeletedData(_Node):
    """A comment was deleted."""

    deleted: _Gone = Field(validation_alias="deletePullRequestReviewComment")


class _Resolved(_Node):
    is_resolved: bool


class _Changed(_Node):
    thread: _Resolved


class ResolvedData(_Node):
    """The state of a thread after it was resolved or opened again."""

    changed: _Changed = Field(validation_alias=AliasChoices("resolveReviewThread", "unresolveReviewThread"))

    @property
    def is_resolved(self) -> bool:
        """Whether it is resolved."""
        return self.changed.thread.is_resolved


def comment(told: Comment) -> DomainComment:
    """A comment. Bots are named as REST names them, so that one author has one name."""
    by = told.author
    bot = by is not None and by.kind == "Bot"
    login = by.login if by is not None else ""
    if bot and not login.endswith("[bot]"):
        login += "[bot]"
    return DomainComment(
        id=told.id,
        number=told.full_database_id or 0,
        author=Author(login=login, bot=bot),
        body=told.body,
        created_at=told.created_at,
        edited_at=told.last_edited_at,
        url=told.url,
        mine=told.viewer_did_author,
    )


def thread(told: Thread, comments: Sequence[Comment]) -> ReviewThread:
    """A thread with these comments."""
    return ReviewThread(
        id=told.id,
        path=told.path,
        line=told.line,
        start_line=told.start_line,
        side="left" if told.diff_side == "LEFT" else "right",
        resolved=told.is_resolved,
        outdated=told.is_outdated,
        resolved_by=told.resolved_by.login if told.resolved_by is not None else "",
        hunk=comments[0].diff_hunk if comments else "",
        comments=tuple(comment(one) for one in comments),
        can_reply=told.viewer_can_reply,
        can_resolve=told.viewer_can_unresolve if told.is_resolved else told.viewer_can_resolve,
        url=comments[0].url if comments else "",
    )
