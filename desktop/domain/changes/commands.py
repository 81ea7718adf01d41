"""Commands of a review: what changed in a lane, comments on it, taking changes back, committing, and the terminals."""

from typing import ClassVar, Literal

from desktop.domain.changes.values import ChangeScope, Picked, ReviewComment
from desktop.domain.core.command import Command


class LoadLaneChanges(Command):
    """Tell which files of a lane differ within a scope, at most `limit`, without their diffs. → LaneChangesLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_lane_changes"] = "load_lane_changes"
    lane_id: str
    session_id: str = ""
    scope: ChangeScope = ChangeScope()
    ignore_space: bool = False
    limit: int = 300


class LoadDiff(Command):
    """The diff of one file of a listing. `anyway`: although it is large; `context`: lines around each change,
    below 0 for the whole file. → DiffLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_diff"] = "load_diff"
    lane_id: str
    session_id: str = ""
    scope: ChangeScope = ChangeScope()
    path: str
    old_path: str = ""
    ignore_space: bool = False
    context: int = 3
    anyway: bool = False


class RevertPicked(Command):
    """Take back hunks, lines or whole files, exactly. Refused when a file changed since its diff. → ChangeReverted."""

    type: Literal["revert_picked"] = "revert_picked"
    lane_id: str
    session_id: str = ""
    scope: ChangeScope = ChangeScope()
    picked: tuple[Picked, ...]


class UndoRevert(Command):
    """Bring back what RevertPicked took away. → ChangeReverted."""

    type: Literal["undo_revert"] = "undo_revert"
    lane_id: str
    revert_id: str


class LoadComments(Command):
    """The comments on a lane's changes. → CommentsChanged."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_comments"] = "load_comments"
    lane_id: str


class SaveComment(Command):
    """Keep a comment, new or changed; blank text takes a draft away. → CommentsChanged."""

    type: Literal["save_comment"] = "save_comment"
    lane_id: str
    comment: ReviewComment


class ResolveComment(Command):
    """A sent comment is dealt with. → CommentsChanged."""

    type: Literal["resolve_comment"] = "resolve_comment"
    lane_id: str
    comment_id: str
    resolved: bool = True


class SendComments(Command):
    """Send all drafts of comments on a lane as one message to a chat; while a turn runs it waits in the queue. A
    `session_id` that no chat has begins one in this lane. → CommentsChanged."""

    type: Literal["send_comments"] = "send_comments"
    lane_id: str
    session_id: str


class MarkViewed(Command):
    """A file was looked at, in the state whose hash is `sha256`. → ViewedChanged."""

    type: Literal["mark_viewed"] = "mark_viewed"
    lane_id: str
    path: str
    sha256: str
    viewed: bool = True


class CommitChanges(Command):
    """Commit what is picked, on the person's order. `head`: the commit that was shown; hunks and lines are those of the
    scope uncommitted. `allowed`: files that got a tick of their own. → ChangesCommitted, or CommitHeld."""

    type: Literal["commit_changes"] = "commit_changes"
    lane_id: str
    message: str
    picked: tuple[Picked, ...]
    head: str
    amend: bool = False
    allowed: tuple[str, ...] = ()


class LoadCommitState(Command):
    """Tell who would commit in a lane, on which branch, and where it would be pushed to. → CommitStateLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_commit_state"] = "load_commit_state"
    lane_id: str


class SuggestMessage(Command):
    """Ask the model for a commit message for what is picked. → MessageSuggested."""

    type: Literal["suggest_message"] = "suggest_message"
    lane_id: str
    session_id: str = ""
    picked: tuple[Picked, ...]


class PlanPushes(Command):
    """Tell what pushing the branches of these lanes would do; `branch`: another one of the repository instead. Nothing
    is asked of a remote. → PushesPlanned."""

    reads: ClassVar[bool] = True
    type: Literal["plan_pushes"] = "plan_pushes"
    lane_ids: tuple[str, ...]
    branch: str = ""


class PushLane(Command):
    """Push the lane's branch, or `branch`, to its remote, on the person's order. `force`: replace what the remote had
    last, only if it still has it. `digest`: of the plan that was shown, "" for none. → LanePushed."""

    type: Literal["push_lane"] = "push_lane"
    lane_id: str
    branch: str = ""
    force: bool = False
    digest: str = ""


SIGN_IN_LANE = "sign-in"
"""Where the terminals stand in which agents are signed in: they belong to no lane."""


class OpenTerminal(Command):
    """A shell of the person's own in the lane's folder. `terminal_id` is made by the sender. `reopen`: a terminal that
    was closed, whose last lines stand above. `guest_id`: in place of a shell the program that signs this agent in, in
    the agent's home folder and sandbox, by this way of its own (`method_id`) where one was chosen; `lane_id` is then
    SIGN_IN_LANE. → TerminalStarting, TerminalScreen, or
    TerminalClosed with the problem."""

    reads: ClassVar[bool] = True
    type: Literal["open_terminal"] = "open_terminal"
    lane_id: str
    terminal_id: str
    columns: int = 80
    rows: int = 24
    reopen: str = ""
    guest_id: str = ""
    method_id: str = ""


class TerminalInput(Command):
    """Keys and pasted text for a terminal, as a terminal sends them."""

    reads: ClassVar[bool] = True
    is_answered: ClassVar[bool] = False
    type: Literal["terminal_input"] = "terminal_input"
    terminal_id: str
    text: str


class ResizeTerminal(Command):
    """The terminal has another size now."""

    reads: ClassVar[bool] = True
    type: Literal["resize_terminal"] = "resize_terminal"
    terminal_id: str
    columns: int
    rows: int


class TerminalShown(Command):
    """A window has taken this frame of the terminal's screen, so more may be sent."""

    reads: ClassVar[bool] = True
    is_answered: ClassVar[bool] = False
    type: Literal["terminal_shown"] = "terminal_shown"
    terminal_id: str
    frame: int


class CloseTerminal(Command):
    """End a terminal and everything in it. → TerminalClosed."""

    reads: ClassVar[bool] = True
    type: Literal["close_terminal"] = "close_terminal"
    terminal_id: str


class LoadTerminals(Command):
    """Every terminal there is, whole, and what terminals of earlier runs left. → TerminalScreen, LeftoversFound."""

    reads: ClassVar[bool] = True
    type: Literal["load_terminals"] = "load_terminals"


class QuoteTerminal(Command):
    """Text of a terminal for a message: its last 30,000 characters, without the secrets in it. → TerminalQuoted."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["quote_terminal"] = "quote_terminal"
    terminal_id: str
    session_id: str = ""
    text: str


class EndLeftover(Command):
    """End one of the processes that LeftoversFound told of; the two fields name it. → LeftoversFound."""

    reads: ClassVar[bool] = True
    type: Literal["end_leftover"] = "end_leftover"
    pid: int
    started: float
