"""Effect: what a chat changed outside of the conversation, and whether and how that can be taken back (memory-UL1)."""

from datetime import datetime
from typing import Literal, NamedTuple

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import TouchedFile
from desktop.domain.gate.rules import RuleScope

EffectKind = Literal["files", "command", "commit", "push", "lane", "request", "database", "rule", "other"]
Undoable = Literal["yes", "partly", "no"]
EffectState = Literal["standing", "undone", "partly", "cannot"]


class Effect(Frozen):
    """One effect. `effect_id`: of the call, the operation on a lane, or the rule. `what`: a line for people.

    `how`: how it is taken back, "" where it cannot be; `not_covered`: what stays all the same, or why nothing can be
    done. `state` cannot: it stands and cannot be taken back. `unknown`: how the call ended is not on record.
    `scope`: of a rule, None for all else.
    """

    effect_id: str
    session_id: str
    seq: int
    at: datetime
    kind: EffectKind
    what: str
    tool: str = ""
    lane_id: str = ""
    undoable: Undoable = "no"
    how: str = ""
    not_covered: str = ""
    state: EffectState = "cannot"
    files: tuple[TouchedFile, ...] = ()
    checkpoint_id: str = ""
    unknown: bool = False
    scope: RuleScope | None = None


class Inverse(NamedTuple):
    """What takes back an effect of some kind."""

    kind: EffectKind
    undoable: Undoable
    how: str = ""
    not_covered: str = ""


_FILES = Inverse("files", "yes", "The bytes from before are written back where the file is as it was left.")
_SEEN = "What was read of it meanwhile stays read."
OF_TOOLS: dict[str, Inverse] = {
    "write_file": _FILES,
    "edit_file": _FILES,
    "delete_file": _FILES,
    "move_file": _FILES,
    "bash": Inverse(
        "command",
        "partly",
        "The lane's files are put back to the checkpoint from just before it.",
        "Ignored files, other places, servers and whatever went over the network are not covered.",
    ),
    "commit_changes": Inverse("commit", "yes", "The branch goes back by one commit, or a commit turns it round."),
    "take_task_changes": Inverse("commit", "yes", "The branch goes back to before it, or a commit turns it round."),
    "rebase_lane": Inverse("lane", "yes", "The branches go back to where they stood."),
    "create_lane": Inverse("lane", "yes", "The lane is deleted; it can be restored for 30 days."),
    "push_lane": Inverse(
        "push", "partly", "A commit that turns it round is pushed.", "The pushed commits stay known to others."
    ),
    "create_pr_from_lane": Inverse("request", "yes", "The request is closed.", _SEEN),
    "pr_resolve_review_thread": Inverse("request", "yes", "The thread is set back.", _SEEN),
    "pr_reply_to_review_thread": Inverse("request", "partly", "The reply is deleted where it was written.", _SEEN),
    "publish_proofs": Inverse("request", "partly", "The block is taken out of the request.", _SEEN),
    "pr_rerun_failed_checks": Inverse("request", "no", not_covered="Checks that ran have run."),
    "sql_query": Inverse("database", "no", not_covered="The rows from before are not kept."),
}
"""By name of the tool. A tool that is not named here makes effects that cannot be taken back."""

UNNAMED = Inverse("other", "no", not_covered="How to take it back is not known.")
OF_OPERATIONS: dict[str, Inverse] = {
    "create": OF_TOOLS["create_lane"],
    "delete": Inverse("lane", "yes", "The lane is restored, for 30 days."),
    "archive": Inverse("lane", "yes", "The lane is brought back."),
    "commit": OF_TOOLS["commit_changes"],
    "edit": Inverse("lane", "yes", "The lane is edited again."),
    "switch_branch": Inverse("lane", "yes", "The lane goes back to its branch."),
    "revert": Inverse("files", "partly", "The checkpoint from before it is put back."),
    "free_space": Inverse("files", "no", not_covered="What was cleared away is made again by its programs."),
    "purge": Inverse("lane", "no", not_covered="The lane is gone for good."),
    "run": Inverse("command", "no", not_covered="A person's own command is not kept track of."),
}
"""By operation of a lane that a person began; others are no effects of their own."""
