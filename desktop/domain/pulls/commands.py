"""Commands about pull requests. Each names its lane; what a person sends here is their own word and no agent's call."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.pulls.pull_request import ForgeMergeMethod


class PullCommand(Command):
    """A command about the pull request of a lane."""

    lane_id: str


class ShowPullRequest(PullCommand):
    """The pull request of this lane is on screen now, or (`shown` False) no longer: in the place that `viewer` names,
    of which each window has one. Nothing is asked of the forge for what nobody looks at. → PullRequestChanged."""

    reads: ClassVar[bool] = True
    type: Literal["show_pull_request"] = "show_pull_request"
    shown: bool = True
    viewer: str = ""


class PullWindowSeen(Command):
    """Whether any window of the program can be seen. While none can, requests are asked for every ten minutes."""

    reads: ClassVar[bool] = True
    type: Literal["pull_window_seen"] = "pull_window_seen"
    seen: bool = True


class RefreshPullRequest(PullCommand):
    """Ask the forge now, at most once in 5 s. → PullRequestChanged."""

    reads: ClassVar[bool] = True
    type: Literal["refresh_pull_request"] = "refresh_pull_request"


class ChooseRemote(PullCommand):
    """Choose which of several remotes holds this lane's pull requests. → PullRequestChanged."""

    type: Literal["choose_remote"] = "choose_remote"
    remote: str


class PlanPullRequest(PullCommand):
    """Tell what opening a request from this lane would do, and what is in the way. `base` "": the lane's base. →
    PullRequestPlanned."""

    reads: ClassVar[bool] = True
    type: Literal["plan_pull_request"] = "plan_pull_request"
    base: str = ""


class SuggestPullText(PullCommand):
    """Let the model write title and body from the lane's commits. → PullTextSuggested."""

    type: Literal["suggest_pull_text"] = "suggest_pull_text"
    base: str = ""


class CreatePullRequest(PullCommand):
    """Push the lane's branch and open a request, or adopt the open one. → PullRequestCreated, PullRequestChanged.

    `leave_out`: what is not committed stays out, on the person's word. `after_rewrite`: replace on the remote what was
    last seen there. `proofs`: ids of proofs whose block goes into the body.
    """

    type: Literal["create_pull_request"] = "create_pull_request"
    title: str
    body: str = ""
    base: str = ""
    draft: bool = True
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    leave_out: bool = False
    after_rewrite: bool = False


class UseOwnFork(PullCommand):
    """Add the person's fork of the repository as a remote, so that the branches that they may not push to it go there.
    → OwnForkUsed."""

    type: Literal["use_own_fork"] = "use_own_fork"


class LinkPullRequest(PullCommand):
    """Take an existing request as the lane's: its head must be the lane's branch. 0: link none."""

    type: Literal["link_pull_request"] = "link_pull_request"
    number: int


class EditPullRequest(PullCommand):
    """Change the title or the text of the pull request; None leaves a value as it is. `seen_body`: the body that the
    person began from: changed meanwhile → refused."""

    type: Literal["edit_pull_request"] = "edit_pull_request"
    title: str | None = None
    body: str | None = None
    seen_body: str = ""


class SetPullState(PullCommand):
    """Close, reopen, mark ready or turn into a draft."""

    type: Literal["set_pull_state"] = "set_pull_state"
    to: Literal["closed", "open", "ready", "draft"]


class LoadCheck(PullCommand):
    """Steps and annotations of a check. → CheckLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_check"] = "load_check"
    check_id: int


class LoadCheckLog(PullCommand):
    """The log of a check's job; its last 2,000 lines unless `whole`. → CheckLogLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_check_log"] = "load_check_log"
    job_id: int
    whole: bool = False


class LoadForeignPicture(Command):
    """A person wants to see a picture that a text of the forge names: whoever keeps it is asked for it, without a name.
    → ForeignPictureLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_foreign_picture"] = "load_foreign_picture"
    address: str


class RerunChecks(PullCommand):
    """Run failed checks again; no names: all that failed. → ChecksRerun."""

    type: Literal["rerun_checks"] = "rerun_checks"
    names: tuple[str, ...] = ()


class ReplyToThread(PullCommand):
    """A person's reply. → PullRequestChanged, or CommandFailed, after which the text is still the person's."""

    type: Literal["reply_to_thread"] = "reply_to_thread"
    thread_id: str
    body: str


class DeleteReply(PullCommand):
    """Delete one's own comment in a thread. → PullRequestChanged."""

    type: Literal["delete_reply"] = "delete_reply"
    thread_id: str
    comment_id: str


class PutProofsBack(PullCommand):
    """Put the part with proofs that was in the request's text before ("": none) back in the place of the one that was
    posted, if that still has this hash (`posted`)."""

    type: Literal["put_proofs_back"] = "put_proofs_back"
    posted: str
    before: str = ""


class SetThreadResolved(PullCommand):
    """Resolve a thread, or open it again."""

    type: Literal["set_thread_resolved"] = "set_thread_resolved"
    thread_id: str
    resolved: bool = True


class PostPullComment(PullCommand):
    """A comment on the request as a whole."""

    type: Literal["post_pull_comment"] = "post_pull_comment"
    body: str


class PostReview(PullCommand):
    """A person's review."""

    type: Literal["post_review"] = "post_review"
    verdict: Literal["approve", "request_changes", "comment"]
    body: str = ""


class UpdatePullBranch(PullCommand):
    """Let the forge merge the base into the head, if the head is still `head_oid`."""

    type: Literal["update_pull_branch"] = "update_pull_branch"
    head_oid: str


class PlanPullMerge(PullCommand):
    """Tell what merging needs and what is in the way, with fresh data. → PullMergePlanned."""

    reads: ClassVar[bool] = True
    type: Literal["plan_pull_merge"] = "plan_pull_merge"


class MergePullRequest(PullCommand):
    """Merge, bound to the head that the person saw. → PullRequestMerged.

    `ticks`: kinds of hindrances that the person accepted. `typed_number`: typed because checks fail or none exists.
    After it, each on its own and none of it an error of the merge: delete the remote branch, archive the lane.
    """

    type: Literal["merge_pull_request"] = "merge_pull_request"
    head_oid: str
    method: ForgeMergeMethod
    ticks: tuple[str, ...] = ()
    typed_number: int = 0
    delete_branch: bool = False
    archive_lane: bool = False


class ListPullRequests(PullCommand):
    """The repository's open requests. → PullRequestsListed."""

    reads: ClassVar[bool] = True
    type: Literal["list_pull_requests"] = "list_pull_requests"


class OpenPullAsLane(PullCommand):
    """Fetch a request's head, a fork's too, into a new lane. `new_lane_id` is made by the sender. → LaneCreated."""

    type: Literal["open_pull_as_lane"] = "open_pull_as_lane"
    number: int
    new_lane_id: str
