"""move_file: a file or folder gets another name or place in the lane."""

import asyncio

from pydantic import Field

from desktop.domain.core.content import Card, TouchedFile
from desktop.domain.core.errors import PathError
from desktop.domain.core.permissions import Category
from desktop.services.files.names import shown_name
from desktop.services.lanes.moves import Item, find_item, move
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.file_changes import shown_path
from desktop.tools.file_moves import described, is_countable, listing
from desktop.tools.offers import WorkingLane
from desktop.tools.text import title_line
from desktop.tools.tool import PathUse, ReadRecords, Tool, ToolArgs, ToolContext, ToolError, ToolResult


class MoveFile(ToolArgs):
    """The arguments of `move_file`: where a file is, and where it goes."""

    from_path: str = Field(min_length=1, max_length=4096, description="File, folder or link in the lane.")
    to_path: str = Field(
        min_length=1,
        max_length=4096,
        description="Its whole new path. Nothing may stand there; missing folders are made.",
    )


def _target(args: MoveFile) -> str:
    return args.to_path.rstrip("/") or args.to_path


def _paths(args: MoveFile) -> tuple[PathUse, ...]:
    return (PathUse(args.from_path, "delete"), PathUse(_target(args), "write"))


def _card(args: MoveFile) -> Card:
    return Card(title=f"{title_line(f'Move {args.from_path}', 110)} {title_line(f'to {args.to_path}', 110)}")


async def _run(args: MoveFile, ctx: ToolContext) -> ToolResult:
    source = ctx.files.resolve(args.from_path, "delete")
    target = ctx.files.resolve(_target(args), "write")
    if target.exists:
        name = shown_path(target)
        raise ToolError(f"{name} exists already. Choose another name, or delete it first.", summary="exists already")
    try:
        item = await asyncio.to_thread(find_item, ctx.files, source, new_rel=target.rel)
        await to_its_end(asyncio.to_thread(move, ctx.files, item, target))
    except PathError as error:
        raise ToolError(str(error), summary="not moved") from error
    _follow(ctx.reads, item.rel, target.rel)
    moved = [_new_path(item, file.rel, target.rel) for file in item.files]
    more = described(item) if item.kind == "dir" else ""
    return ToolResult(
        text=f"Moved {shown_name(item.shown)} to {shown_name(shown_path(target))}{more}.",
        blocks=(listing(item, moved),),
        summary="moved",
        touched=_touched(item, target.rel),
    )


def _new_path(item: Item, rel: str, target: str) -> str:
    return target + rel.removeprefix(item.rel)


def _follow(reads: ReadRecords, old: str, new: str) -> None:
    """What was read stays known under its new name."""
    for path in [path for path in reads.sha256 if f"{path}/".startswith(f"{old}/")]:
        reads.sha256[new + path.removeprefix(old)] = reads.sha256.pop(path)


def _touched(item: Item, target: str) -> tuple[TouchedFile, ...]:
    if not is_countable(item):
        end = "/" if item.kind == "dir" else ""
        return (TouchedFile(path=target + end, kind="move", from_path=item.shown),)
    return tuple(
        TouchedFile(
            path=_new_path(item, file.rel, target),
            kind="move",
            before_sha256=file.sha256 or None,
            after_sha256=file.sha256 or None,
            from_path=file.rel,
        )
        for file in item.files
    )


TOOL = Tool(
    name="move_file",
    aliases=("rename_file",),
    description=(
        "Move or rename a file, a link or a folder (at most 10,000 entries) inside the lane. Nothing is replaced: the "
        "new path must be free."
    ),
    args=MoveFile,
    category=Category.WRITE,
    needs=(WorkingLane,),
    grants=frozenset({"once", "session"}),
    paths=_paths,
    card=_card,
    run=_run,
    varies="Guarded names and files that hold secrets ask in every mode; what lies outside the lane is refused.",
)
