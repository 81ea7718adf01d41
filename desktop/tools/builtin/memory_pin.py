"""memory_pin: keep an entry of the memory in front, or no more."""

from pydantic import Field

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.tools.offers import ChatMemory
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult


class MemoryPin(ToolArgs):
    """The arguments of `memory_pin`: which entry, and whether it is to be pinned."""

    id: str = Field(min_length=1, max_length=80, description="The entry, as memory_search names it.")
    pinned: bool = Field(default=True, description="False: it is pinned no more.")


def _card(args: MemoryPin) -> Card:
    title = "Pin an entry of the memory" if args.pinned else "Unpin an entry of the memory"
    return Card(title=title, blocks=(TextBlock(text=args.id),))


async def _run(args: MemoryPin, ctx: ToolContext) -> ToolResult:
    said = ctx.offer(ChatMemory).pin(ctx.call_id, args.id, args.pinned)
    return ToolResult(text=said, summary="pinned" if args.pinned else "unpinned")


TOOL = Tool(
    name="memory_pin",
    aliases=("memoryPin",),
    description="Pin an entry of the memory, so that it is given first wherever the memory is looked up, or unpin it.",
    args=MemoryPin,
    category=Category.READ,
    parallel=False,
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    needs=(ChatMemory,),
    card=_card,
    run=_run,
    for_guests=True,
)
