"""inverse_of: whether and how what a call does can be taken back: said on its card before, and in the ledger after."""

from typing import Literal, NamedTuple

EffectKind = Literal[
    "files", "command", "commit", "push", "lane", "request", "database", "rule", "memory", "skill", "undo", "other"
]  # fmt: skip
Undoable = Literal["yes", "partly", "no"]

CHECKPOINT_DAYS, TRASH_DAYS = 14, 30


class Inverse(NamedTuple):
    """What takes back an effect of some kind. `not_covered`: what stays all the same, or why nothing can be done.
    `days`: how long; 0: as long as the chat is kept."""

    kind: EffectKind
    undoable: Undoable
    how: str = ""
    not_covered: str = ""
    days: int = 0


class Doing(NamedTuple):
    """What is known of a call before it runs. `keeps`: the lane's files are kept before it. `dialect`: of the database
    it writes; `rows`: what it changes there is rows."""

    tool: str
    keeps: bool = True
    dialect: str = ""
    rows: bool = False


_FILES = Inverse("files", "yes", "Files that nobody changed since become what they were.")
_SEEN = "What was read of it meanwhile stays read."
_LANE = "The lane is deleted while it is empty; it can be restored for 30 days."
OF_TOOLS: dict[str, Inverse] = {
    "write_file": _FILES,
    "edit_file": _FILES,
    "unreported_change": _FILES,
    "delete_file": _FILES._replace(days=TRASH_DAYS),
    "move_file": _FILES,
    "bash": Inverse(
        "command",
        "partly",
        "The files it changed become what they were just before it.",
        "Ignored files, other places, servers and whatever went over the network are not covered.",
        CHECKPOINT_DAYS,
    ),
    "commit_changes": Inverse(
        "commit", "yes", "The branch goes back and the changes stay; once pushed, a new commit turns it round."
    ),
    "take_task_changes": Inverse(
        "commit", "yes", "The branch and the files go back to before it; once pushed, a new commit turns it round."
    ),
    "rebase_lane": Inverse(
        "lane", "partly", "The menu of the lane takes back its last rebase.", "It is not taken back from here."
    ),
    "create_lane": Inverse("lane", "yes", _LANE, days=TRASH_DAYS),
    "push_lane": Inverse(
        "push",
        "partly",
        "Undo its commits: each is turned round by a new one. Then push again.",
        "The pushed commits stay known to others.",
    ),
    "create_pr_from_lane": Inverse("request", "yes", "The request is closed.", _SEEN),
    "pr_resolve_review_thread": Inverse("request", "yes", "The thread is open again.", _SEEN),
    "pr_reply_to_review_thread": Inverse("request", "yes", "The reply is deleted.", _SEEN),
    "publish_proofs": Inverse("request", "yes", "The part with the proofs is what it was before.", _SEEN),
    "pr_rerun_failed_checks": Inverse("request", "no", not_covered="Checks that ran have run."),
    "memory_add": Inverse("memory", "yes", "The entry goes; its versions stay for 30 days.", days=TRASH_DAYS),
    "memory_pin": Inverse("memory", "yes", "The entry is as it was before."),
    "install_skill": Inverse(
        "skill", "yes", "The skill is what it was before it, or goes to the trash.", days=TRASH_DAYS
    ),
    "uninstall_skill": Inverse("skill", "yes", "The skill is brought back.", days=TRASH_DAYS),
}
"""By name of the tool. A tool that is not named here makes effects that cannot be taken back."""

UNNAMED = Inverse("other", "no", not_covered="How to take it back is not known.")
_ROWS = Inverse(
    "database",
    "partly",
    "Rows that nobody changed since become what they were.",
    "Kept are up to 1,000 rows of tables with a key; the result says whether they were.",
)
_KEEPING = frozenset({"sqlite", "postgres"})
"""The databases of which rows from before a write are kept."""
_NO_CHECKPOINT = Inverse("command", "no", not_covered="No checkpoint of the lane's files was taken before it.")

ASK_THEMSELVES = frozenset({"install_skill"})
"""Tools that read, and change something only with what a person says within the call."""
OF_OPERATIONS: dict[str, Inverse] = {
    "create": OF_TOOLS["create_lane"],
    "delete": Inverse("lane", "yes", "The lane is restored.", days=TRASH_DAYS),
    "archive": Inverse("lane", "yes", "The lane is brought back."),
    "unarchive": Inverse("lane", "yes", "The lane is archived again."),
    "commit": OF_TOOLS["commit_changes"],
    "push": OF_TOOLS["push_lane"],
    "edit": Inverse("lane", "yes", "The lane gets its name back."),
    "switch_branch": Inverse("lane", "yes", "The lane is on its branch from before."),
    "revert": Inverse("files", "partly", "The checkpoint from before it is put back."),
    "free_space": Inverse("files", "no", not_covered="What was cleared away is made again by its programs."),
    "purge": Inverse("lane", "no", not_covered="The lane is gone for good."),
    "run": Inverse("command", "no", not_covered="A person's own command is not kept track of."),
    "open_pull_request": OF_TOOLS["create_pr_from_lane"],
    "set_pull_request": Inverse("request", "yes", "The request is open, or closed, again.", _SEEN),
    "resolve_thread": OF_TOOLS["pr_resolve_review_thread"],
    "open_thread_again": Inverse("request", "yes", "The thread is resolved again.", _SEEN),
    "reply_to_thread": OF_TOOLS["pr_reply_to_review_thread"],
    "delete_reply": Inverse("request", "no", not_covered="A deleted reply is not written again."),
    "comment": Inverse("request", "no", not_covered="A comment on a request is deleted where it was written."),
    "review": Inverse("request", "no", not_covered="A posted review stays posted."),
    "edit_pull_request": Inverse("request", "no", not_covered="GitHub keeps the versions of a request's text."),
    "merge_pull_request": Inverse("request", "no", not_covered="What is merged is turned round by new commits."),
    "rerun_checks": OF_TOOLS["pr_rerun_failed_checks"],
}
"""By operation of a lane that a person began; others are no effects of their own."""


def inverse_of(doing: Doing) -> Inverse:
    """The judgement of one call; the ledger narrows it by what really came of it (memory-UL1)."""
    if doing.tool == "sql_query":
        keeps = doing.dialect in _KEEPING
        if keeps and doing.rows:
            return _ROWS
        why = "only rows can be kept" if keeps else f"not for {doing.dialect or 'this database'}"
        return Inverse("database", "no", not_covered=f"No rows kept: {why}.")
    inverse = OF_TOOLS.get(doing.tool, UNNAMED)
    return _NO_CHECKPOINT if inverse.kind == "command" and not doing.keeps else inverse
