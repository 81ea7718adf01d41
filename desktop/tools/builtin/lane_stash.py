"""lane_stash: changes put aside in snapshots of the lane; Git's stash, which all lanes share, is not used."""

import asyncio
from typing import Literal

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, FileListBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.names import shown_name
from desktop.services.git.reads import own_repository
from desktop.services.lanes.making.stash import LaneStashes, Stash
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.argument_checks import one_line
from desktop.tools.git_results import from_git
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_LISTED = 50
MAX_FILES = 20

Action = Literal["push", "list", "apply", "pop", "drop", "clear"]
_TITLES: dict[Action, str] = {
    "push": "Put all changes of this lane aside",
    "list": "List what was put aside",
    "apply": "Bring back {}",
    "pop": "Bring back {} and drop it",
    "drop": "Drop {}",
    "clear": "Drop everything that was put aside",
}


class LaneStash(ToolArgs):
    """The arguments of `lane_stash`: what is done with the lane's uncommitted work, and with which stash."""

    action: Action = Field(description="push, list, apply, pop (apply, then drop), drop or clear.")
    id: int | None = Field(default=None, ge=1, description="Number of the stash; the newest by default.")
    message: str = Field(default="", max_length=200, description="For push: what it is.")

    _is_one_line = field_validator("message")(one_line)


def _card(args: LaneStash) -> Card:
    what = f"stash {args.id}" if args.id is not None else "the newest stash"
    said = f": {args.message}" if args.message and args.action == "push" else ""
    return Card(title=title_line(_TITLES[args.action].format(what) + said))


async def _run(args: LaneStash, ctx: ToolContext) -> ToolResult:
    await from_git(own_repository(ctx.files, ctx.lane_name))
    files = LaneFiles(ctx.files.root, name=ctx.lane_name)  # all of the lane, not the paths that a call names
    try:
        return await to_its_end(asyncio.to_thread(_done, args, LaneStashes(files, ctx.lane_id)))
    except BanksmanError as error:
        if isinstance(error, ToolError):
            raise
        raise ToolError(str(error), summary="nothing done") from error


def _done(args: LaneStash, stashes: LaneStashes) -> ToolResult:
    if args.action == "push":
        made = stashes.push(args.message)
        text = f"Put aside as stash {made.number}: {count_words(made.files, 'file')}. The lane is as its last commit."
        return _result(text, f"stash {made.number}", made)
    if args.action == "list":
        return _listed(stashes.all())
    if args.action == "drop":
        gone = stashes.drop(args.id)
        return _result(f"Dropped stash {gone.number}{_named(gone)}.", f"dropped {gone.number}", gone)
    if args.action == "clear":
        count = stashes.clear()
        text = f"Dropped {count_words(count, 'stash', 'stashes')}." if count else "No stashes."
        return ToolResult(text=text, summary=f"{count} dropped", data={"dropped": count})
    return _applied(args, stashes)


def _applied(args: LaneStash, stashes: LaneStashes) -> ToolResult:
    done = stashes.apply(args.id)
    if done.conflicts:
        named = ", ".join(shown_name(path) for path in done.conflicts[:MAX_FILES])
        raise ToolError(
            f"Stash {done.stash.number} does not fit: {named} changed meanwhile. Nothing was changed.",
            summary="does not fit",
        )
    dropped = ""
    if args.action == "pop":
        stashes.drop(done.stash.number)
        dropped = " Dropped it."
    files = count_words(len(done.changed), "file")
    names = tuple(shown_name(path) for path in done.changed)
    result = _result(
        f"Brought back stash {done.stash.number}{_named(done.stash)}: {files}, not staged.{dropped}",
        f"stash {done.stash.number} · {files}",
        done.stash,
    )
    block = FileListBlock(paths=names[:MAX_LISTED], more=max(len(names) - MAX_LISTED, 0))
    return result.model_copy(update={"blocks": (block,)})


def _listed(every: list[Stash]) -> ToolResult:
    lines = [
        f"{one.number}  {one.at:%Y-%m-%d %H:%M} UTC  {count_words(one.files, 'file')}  {one.message}".rstrip()
        for one in every[:MAX_LISTED]
    ]
    if len(every) > MAX_LISTED:
        lines.append(f"{len(every) - MAX_LISTED} more.")
    text = "\n".join(lines) or "No stashes."
    return ToolResult(text=text, summary=count_words(len(every), "stash", "stashes"), data={"count": len(every)})


def _result(text: str, summary: str, stash: Stash) -> ToolResult:
    data = {"id": stash.number, "commit": stash.commit, "files": stash.files}
    return ToolResult(text=text, summary=summary, data=dict(data))


def _named(stash: Stash) -> str:
    return f' "{stash.message}"' if stash.message else ""


TOOL = Tool(
    name="lane_stash",
    description=(
        "Put all uncommitted changes of this lane aside, new files too, and bring them back later. Each lane has its "
        "own; git stash is shared by all lanes and is not used."
    ),
    guidance="Put changes aside with lane_stash, never with git stash, which other lanes would see.",
    args=LaneStash,
    category=Category.WRITE,
    tier="workflow",
    needs=(WorkingLane,),
    grants=frozenset({"once", "session"}),
    card=_card,
    run=_run,
)
