"""The values of work on a pull request: items of its inventory, rounds of work on them, and how the rounds are to go.

Texts of items come from the forge: they are shown through `display_text`, and given to agents as untrusted.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.pulls.pull_request import RepositoryId

ItemType = Literal["check", "thread", "comment"]
ItemState = Literal["new", "sent_to_agent", "fixed", "dismissed", "escalated"]
Severity = Literal["critical", "major", "minor", "none"]
Scope = Literal["checks", "comments", "both"]
RunState = Literal[
    "idle", "launching", "running", "polling", "paused", "converged", "merged", "failed", "cancelled", "stopped"
]
PollerState = Literal["idle", "scheduled", "polling", "waiting_for_checks", "waiting_for_comments", "paused", "stopped"]
RoundState = Literal["launching", "running", "waiting", "done", "failed", "stopped"]
MergeChoice = Literal["repo_default", "merge", "squash", "rebase"]

WholeNumber = Annotated[int, Field(ge=0, strict=True)]

ITEM_STATES: tuple[ItemState, ...] = ("new", "sent_to_agent", "fixed", "dismissed", "escalated")
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor", "none")
RESOLVER_MODES = (PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO)


def pull_key(repository: RepositoryId, number: int) -> str:
    """The key of a pull request in the store: host/owner/name#number."""
    return f"{repository.host}/{repository.slug}#{number}"


class IssueItem(Frozen):
    """Something to fix. `id`: check:<name>, thread:<id> or comment:<id>; `ref`: the part behind the colon.

    `source`: who found it, one word. `round`, `session_id`: where it was given to an agent last, 0 and "" for nowhere.
    `latest_id`, `latest_at`: the newest comment that counts (of a check: its newest run); `comments`: how many there
    are. `returned`: how often it came back after it was fixed or ignored, under this id or another; `seen_in`: the
    round in which it was before. `closed`: its thread was resolved or outdated when it was last looked at.
    `reason`: a person's word when they ignored or escalated it, or why it counts as fixed.
    """

    id: str
    type: ItemType
    ref: str
    state: ItemState = "new"
    source: str = "unknown"
    severity: Severity = "none"
    headline: str
    body: str = ""
    author: str = ""
    path: str = ""
    line: int | None = None
    url: str = ""
    round: WholeNumber = 0
    session_id: str = ""
    latest_id: str = ""
    latest_at: datetime | None = None
    comments: WholeNumber = 0
    fingerprint: str = ""
    first_seen: datetime
    last_change: datetime
    reason: str = ""
    returned: WholeNumber = 0
    seen_in: WholeNumber = 0
    closed: bool = False


class PipelineSettings(Frozen):
    """The settings of a pull request's rounds: how they go on by themselves (lanes 14.5)."""

    auto_round: bool = False
    max_rounds: Annotated[int, Field(ge=1, le=20, strict=True)] = 5
    auto_merge: bool = False
    merge_method: MergeChoice = "repo_default"
    on_rebase_needed: Literal["pause", "auto_rebase"] = "pause"
    round_token_limit: Annotated[int, Field(ge=10_000, le=10_000_000, strict=True)] = 2_000_000


class LaunchChoice(Frozen):
    """The choice of a person for starting a round. `item_ids` empty: every new item of the scope. "" model: the
    settings' own."""

    scope: Scope = "both"
    item_ids: tuple[str, ...] = ()
    mode: PermissionMode = PermissionMode.EDIT
    endpoint_id: str = ""
    model: str = ""
    instructions: str = ""
    without_sandbox: bool = False


class RoundRecord(Frozen):
    """One round (lanes-P21). `new`: items it began with; `fixed`, `dismissed`, `returned`: of those that it was given,
    as known by now. `files`: paths that its commits change; `head_before`: where the branch stood when it began."""

    number: Annotated[int, Field(ge=1, strict=True)]
    state: RoundState = "launching"
    session_id: str = ""
    title: str = ""
    items: tuple[str, ...] = ()
    started_at: datetime
    ended_at: datetime | None = None
    head_before: str = ""
    head_after: str = ""
    commits: tuple[str, ...] = ()
    new: WholeNumber = 0
    sent: WholeNumber = 0
    fixed: WholeNumber = 0
    dismissed: WholeNumber = 0
    returned: WholeNumber = 0
    files: WholeNumber = 0
    tokens: WholeNumber = 0
    reason: str = ""
    done: tuple[str, ...] = ()

    @property
    def progress(self) -> int:
        """The number of items that the round fixed or saw dismissed, without those that came back; at most 0: it moved
        nothing."""
        return self.fixed + self.dismissed - self.returned


class PipelineRun(Frozen):
    """The state of a pull request's rounds (lanes-P22). `round`: the highest that ever was; it never goes back.

    `reason`: why it is paused or failed, `waits_for`: what a poll found to wait for, as a sentence. `choice`: what
    further rounds are begun with. `counted`: how many new items the last poll found, None before one. `offline_since`:
    since when nothing could be asked. `told`: items whose second return was told already, and `counted_from`: the last
    round before a person went on, so that the same reason does not stop it twice. `files_before`: how many files the
    request changed before the round that runs.
    """

    state: RunState = "idle"
    poller: PollerState = "idle"
    round: WholeNumber = 0
    reason: str = ""
    waits_for: str = ""
    session_id: str = ""
    choice: LaunchChoice | None = None
    counted: WholeNumber | None = None
    offline_since: datetime | None = None
    told: tuple[str, ...] = ()
    counted_from: WholeNumber = 0
    files_before: WholeNumber = 0

    @property
    def active(self) -> bool:
        """Whether a round is under way or waited for."""
        return self.state in ("launching", "running", "polling")


class Availability(Frozen):
    """The number of things of each kind that can be given to an agent now (lanes-P9, lanes-P10, lanes-P11). None: not
    known, which is never none.

    `default` "": nothing. `why_checks`, `why_comments`: why that scope is not offered, as a sentence.
    """

    failing: int | None = None
    pending: int | None = None
    open_threads: int | None = None
    new_comments: int | None = None
    checks: bool = False
    comments: bool = False
    default: Scope | Literal[""] = ""
    why_checks: str = ""
    why_comments: str = ""

    def why(self, scope: Scope) -> str:
        """Why this scope cannot be given to an agent, "" when it can."""
        if scope == "checks":
            return self.why_checks
        if scope == "comments":
            return self.why_comments
        return "" if self.checks or self.comments else self.why_checks or self.why_comments
