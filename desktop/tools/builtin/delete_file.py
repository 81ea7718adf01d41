"""delete_file: a file or folder goes to the lane's trash."""

import asyncio

from pydantic import Field

from desktop.domain.core.content import Card, TouchedFile
from desktop.domain.core.errors import PathError
from desktop.domain.core.permissions import Category
from desktop.services.files.names import shown_name
from desktop.services.lanes.file_trash import KEPT_DAYS, LaneTrash
from desktop.services.lanes.moves import Item, find_item
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.arguments import spellings_for
from desktop.tools.file_moves import check_fresh, described, is_countable, listing
from desktop.tools.offers import WorkingLane
from desktop.tools.text import title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult


class DeleteFile(ToolArgs):
    """The file that goes to the lane's trash."""

    file_path: str = Field(min_length=1, max_length=4096, description="File, folder or link in the lane.")


def _paths(args: DeleteFile) -> tuple[PathUse, ...]:
    return (PathUse(args.file_path, "delete"),)


def _card(args: DeleteFile) -> Card:
    return Card(title=title_line(f"Delete {args.file_path}"))


async def _run(args: DeleteFile, ctx: ToolContext) -> ToolResult:
    if ctx.files.trash is None:
        raise ToolError("Deleting is not available: this lane has no trash to restore from.", summary="not available")
    trash = LaneTrash(ctx.files.trash)
    facts = ctx.files.resolve(args.file_path, "delete")
    try:
        item = await asyncio.to_thread(find_item, ctx.files, facts)
        check_fresh(ctx.reads, item)
        entry = await to_its_end(asyncio.to_thread(trash.put, ctx.files, item, ctx.session_id))
    except PathError as error:
        raise ToolError(str(error), summary="not deleted") from error
    for path in [path for path in ctx.reads.sha256 if f"{path}/".startswith(f"{item.rel}/")]:
        del ctx.reads.sha256[path]
    return ToolResult(
        text=f"Deleted {shown_name(item.shown)}{described(item)}. A person can restore it for {KEPT_DAYS} days.",
        blocks=(listing(item, [file.rel for file in item.files]),),
        summary="deleted",
        touched=_touched(item),
        data={"trash_entry": entry.id},
    )


def _touched(item: Item) -> tuple[TouchedFile, ...]:
    if not is_countable(item):
        return (TouchedFile(path=item.shown, kind="delete"),)
    return tuple(
        TouchedFile(path=file.rel, kind="delete", before_sha256=file.sha256 or None, removed=file.lines)
        for file in item.files
    )


TOOL = Tool(
    name="delete_file",
    aliases=("Delete",),
    description=(
        "Delete a file, a link or a folder with what is in it (at most 10,000 entries). It goes to the lane's trash, "
        "from where a person can restore it."
    ),
    args=DeleteFile,
    spellings=spellings_for(DeleteFile),
    category=Category.WRITE,
    needs=(WorkingLane,),
    grants=frozenset({"once", "session"}),
    paths=_paths,
    card=_card,
    run=_run,
    varies="Guarded names and files that hold secrets ask in every mode; what lies outside the lane is refused.",
)
