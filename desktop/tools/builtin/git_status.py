"""git_status: what differs in the lane, file by file."""

from desktop.domain.core.content import Card, TableBlock, TextBlock
from desktop.domain.core.permissions import Category
from desktop.services.files.names import shown_name
from desktop.services.git.reads import GitReads
from desktop.services.git.status import StatusEntry, WorktreeStatus
from desktop.tools.git_results import clipped, from_git
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult

MAX_ROWS = 500
_WORDS = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "type changed",
    "?": "new",
}


class GitStatus(ToolArgs):
    """The arguments of `git_status`: none."""


def _card(args: GitStatus) -> Card:
    return Card(title="Git status")


async def _run(args: GitStatus, ctx: ToolContext) -> ToolResult:
    status = await from_git(GitReads(ctx.files, ctx.lane_name).status())
    groups = _groups(status)
    lines = [_headline(status)]
    for title, rows in groups:
        lines += ["", f"{title}:", *(f"  {word:<13}{name}" for word, name in rows)]
    if not status.entries:
        lines.append("Nothing has changed.")
    if status.more:
        lines.append("[there are more files than can be listed]")
    text, full = clipped(ctx, "\n".join(lines))
    cells = [(title, word, name) for title, found in groups for word, name in found]
    table = TableBlock(columns=("", "State", "File"), rows=tuple(cells[:MAX_ROWS]), more=max(len(cells) - MAX_ROWS, 0))
    files = len({entry.path for entry in status.entries})
    return ToolResult(
        text=text,
        blocks=(table,) if cells else (TextBlock(text=text),),
        full=full,
        summary=count_words(files, "file") if files else "nothing changed",
    )


def _headline(status: WorktreeStatus) -> str:
    place = f"On {status.branch}" if status.branch else f"On no branch, at {status.commit[:7]}"
    notes = []
    if not status.commit:
        notes.append("no commit yet")
    if status.upstream:
        counts = [
            f"{status.ahead} ahead of" if status.ahead else "",
            f"{status.behind} behind" if status.behind else "",
        ]
        notes.append(f"{' and '.join(filter(None, counts)) or 'level with'} {status.upstream}")
    if status.operation:
        notes.append(f"a {status.operation} is under way")
    return f"{', '.join([place, *notes])}."


def _groups(status: WorktreeStatus) -> list[tuple[str, list[tuple[str, str]]]]:
    entries = status.entries
    found = [
        ("Conflicts", [(_conflict(entry), _named(entry)) for entry in entries if entry.conflict]),
        ("Staged", [(_WORDS.get(e.staged, e.staged), _named(e)) for e in entries if _is_staged(e)]),
        ("Not staged", [(_WORDS.get(e.unstaged, e.unstaged), _named(e)) for e in entries if _is_unstaged(e)]),
        ("Untracked", [(_WORDS["?"], shown_name(e.path)) for e in entries if e.staged == "?"]),
    ]
    return [(title, rows) for title, rows in found if rows]


def _is_staged(entry: StatusEntry) -> bool:
    return not entry.conflict and entry.staged not in ".?"


def _is_unstaged(entry: StatusEntry) -> bool:
    return not entry.conflict and entry.unstaged not in ".?"


def _conflict(entry: StatusEntry) -> str:
    both = {"UU": "both changed", "AA": "both added", "DD": "both deleted"}
    return both.get(
        entry.staged + entry.unstaged, "one deleted" if "D" in entry.staged + entry.unstaged else "one added"
    )


def _named(entry: StatusEntry) -> str:
    return f"{shown_name(entry.old_path)} → {shown_name(entry.path)}" if entry.old_path else shown_name(entry.path)


TOOL = Tool(
    name="git_status",
    aliases=("gitStatus",),
    description="Show the branch of this lane and every file that differs: staged, not staged, untracked, in conflict.",
    args=GitStatus,
    category=Category.READ,
    needs=(WorkingLane,),
    card=_card,
    run=_run,
)
