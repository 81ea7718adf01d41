"""take_task_changes: what a sub-agent did in a lane of its own, brought into the chat's lane."""

from pydantic import Field, JsonValue

from desktop.domain.core.content import Card, FileListBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.services.files.names import shown_name
from desktop.tools.offers import OwnChildren, TakenChanges
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LISTED = 500
MOST_NAMED = 20
MOST_ASKED = 3
_CARD = "Its commits come into this lane with one that joins them. What it has not committed is committed before."


class TakeTaskChanges(ToolArgs):
    """The task whose work is taken."""

    task_id: str = Field(min_length=1, max_length=20, description="Which task, like t3. It must have ended.")


def _card(args: TakeTaskChanges) -> Card:
    return Card(title=title_line(f"Take the changes of {args.task_id}"), blocks=(TextBlock(text=_CARD),))


async def _foresee(args: TakeTaskChanges, ctx: ToolContext) -> None:
    await ctx.offer(OwnChildren).foresee(args.task_id)


def _assess(args: TakeTaskChanges, ctx: ToolContext) -> Evidence:
    """A rule that asks about a file asks about the task that changed it."""
    asks = ctx.offer(OwnChildren).asks_about(args.task_id)
    more = [f"And about {len(asks) - MOST_ASKED} more files."] if len(asks) > MOST_ASKED else []
    reason = " ".join([*asks[:MOST_ASKED], *more])
    return Evidence(assessment=Assessment(category=Category.WRITE, needs_consent=bool(asks), reason=reason))


async def _run(args: TakeTaskChanges, ctx: ToolContext) -> ToolResult:
    asked = ctx.call is not None and ctx.call.assessment.needs_consent
    try:
        taken = await ctx.offer(OwnChildren).take(args.task_id, asked=asked)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not taken") from error
    if taken.conflicts:
        raise ToolError(_conflict(args.task_id, taken), summary="conflict", data=_data(args.task_id, taken))
    return _result(args.task_id, taken)


def _result(task_id: str, taken: TakenChanges) -> ToolResult:
    commits, files = count_words(taken.commits, "commit"), count_words(len(taken.files), "file")
    nothing = taken.commit == taken.before
    text = f"There is nothing of {task_id} to take." if nothing else f"Took {commits} of {task_id}: {files}."
    lines = [text, *_left(task_id, taken)]
    names = tuple(shown_name(path) for path in taken.files)
    block = FileListBlock(paths=names[:MAX_LISTED], more=max(len(names) - MAX_LISTED, 0))
    return ToolResult(
        text="\n".join(lines),
        blocks=(block,) if names else (),
        summary="nothing to take" if nothing else f"{commits} · {files}",
        data=_data(task_id, taken),
    )


def _data(task_id: str, taken: TakenChanges) -> dict[str, JsonValue]:
    return {
        "task_id": task_id,
        "branch": taken.branch,
        "before": taken.before,
        "commit": taken.commit,
        "commits": taken.commits,
        "files": len(taken.files),
    }


def _left(task_id: str, taken: TakenChanges) -> list[str]:
    """What became of files that the task had not committed."""
    told: list[str] = []
    if taken.committed:
        told.append(f"{task_id} had not committed {_named(taken.committed)}; that was done first, in its lane.")
    told += [f"Left in its lane: {shown_name(words)}." for words in taken.left_out[:MOST_NAMED]]
    return told


def _conflict(task_id: str, taken: TakenChanges) -> str:
    first = f"The changes of {task_id} do not fit: conflict in {_named(taken.conflicts)}. Nothing was changed here."
    advice = f"Make the change here yourself, or let {task_id} go on (task with resume) from what is different."
    return "\n".join([first, *_left(task_id, taken), advice])


def _named(paths: tuple[str, ...]) -> str:
    names = ", ".join(shown_name(path) for path in paths[:MOST_NAMED])
    return names if len(paths) <= MOST_NAMED else f"{names} and {len(paths) - MOST_NAMED} more"


TOOL = Tool(
    name="take_task_changes",
    aliases=("takeTaskChanges",),
    description=(
        "Bring what a sub-agent did in a lane of its own into this lane: its commits, and what it left uncommitted. "
        "Where it does not fit, the files in conflict are named and nothing is changed."
    ),
    args=TakeTaskChanges,
    category=Category.WRITE,
    needs=(OwnChildren,),
    surfaces=frozenset({"chat"}),
    card=_card,
    foresee=_foresee,
    assess=_assess,
    run=_run,
    for_guests=True,
    varies="A rule that asks about a file asks before a task's changes of it are taken.",
)
