"""Updates about reviews: what changed in a lane, comments, reverts, commits and pushes; passing state, never stored."""

from datetime import datetime

from desktop.domain.changes.values import ChangeScope, FileDiff, ReviewComment
from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Update
from desktop.domain.core.work import ChangedFile


class LaneChangesLoaded(Answer):
    """Files that differ within a scope. `problem`: git's words when it could not be read; `base`: what is compared
    with, in words; `head`: the lane's commit. `more`: files that are not listed."""

    lane_id: str
    session_id: str
    scope: ChangeScope
    base: str
    files: tuple[ChangedFile, ...]
    at: datetime
    head: str = ""
    more: int = 0
    problem: str = ""
    viewed: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


class DiffLoaded(Answer):
    """The diff of one file, as it was asked for."""

    lane_id: str
    scope: ChangeScope
    diff: FileDiff
    problem: str = ""


class ChangeReverted(Answer):
    """A change was taken back, or brought back again (`undone`)."""

    lane_id: str
    revert_id: str
    text: str
    undone: bool = False


class CommentsChanged(Update):
    """All comments of a lane. `sent_to`: the chat they just went to."""

    lane_id: str
    comments: tuple[ReviewComment, ...]
    sent_to: str = ""


class ViewedChanged(Update):
    """The files of a lane that were looked at, as they are now."""

    lane_id: str
    paths: tuple[str, ...]


class CommitHeld(Answer):
    """The commit was not made: these files need a tick of their own first. `secret`: their names usually hold secrets;
    `large`: they are larger than 50 MB."""

    lane_id: str
    secret: tuple[str, ...] = ()
    large: tuple[str, ...] = ()


class CommitStateLoaded(Answer):
    """The state that a commit box shows. `author`: name and address, "" when Git knows none (`no_author` says what to
    do). `amend_problem`: why the last commit cannot be amended, "" when it can; `message`: that of the last commit.
    `push_problem`: why there is nothing to push to. `ahead`: commits that the remote lacks, None when it has no such
    branch. `rewritten`: the remote's commits are no longer part of the branch, so that a push must replace them.
    `blocked`: why nothing can be committed at all: a conflict, an operation under way, no branch."""

    lane_id: str
    branch: str = ""
    head: str = ""
    author: str = ""
    no_author: str = ""
    message: str = ""
    amend_problem: str = ""
    blocked: str = ""
    remote: str = ""
    address: str = ""
    ahead: int | None = None
    rewritten: bool = False
    push_problem: str = ""


class ChangesCommitted(Answer):
    """The commit is on the lane's branch. `notes`: sentences about what was not done, such as hooks."""

    lane_id: str
    oid: str
    subject: str
    files: int
    notes: tuple[str, ...] = ()


class MessageSuggested(Answer):
    """A commit message by the model, or why there is none."""

    lane_id: str
    text: str = ""
    problem: str = ""


class PlannedPush(Frozen):
    """The plan of pushing one branch. `known`: the remote was seen to have it; `commits`: that it lacks; `replaced`: of
    its commits that would go; `needed`: whether it lacks anything. `problem`: why it cannot be pushed, without a digest
    then."""

    lane_id: str
    branch: str
    remote: str = ""
    address: str = ""
    known: bool = False
    commits: int = 0
    replaced: int = 0
    needed: bool = False
    digest: str = ""
    problem: str = ""


class PushesPlanned(Answer):
    """The plans of pushing, in the order of the lanes."""

    pushes: tuple[PlannedPush, ...]


class LanePushed(Answer):
    """The remote has the branch."""

    lane_id: str
    remote: str
    branch: str
    text: str = ""
