"""memory_add: remember a statement for later chats of this project."""

from typing import Literal

from pydantic import Field

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.memory.values import MOST_CHARS, MOST_FILES, AgentCategory, Importance
from desktop.tools.offers import ChatMemory, ToRemember
from desktop.tools.text import one_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult


class MemoryAdd(ToolArgs):
    """The arguments of `memory_add`: what is to be remembered, of which kind, and how surely."""

    content: str = Field(min_length=1, max_length=MOST_CHARS, description="The rule first, then the reason.")
    category: AgentCategory = Field(description="What kind of statement it is.")
    scope: Literal["project", "agent", "mission"] = Field(default="project", description="For whom it counts.")
    owner: str | None = Field(default=None, max_length=80, description="Whose, where a scope has owners.")
    importance: Importance = Field(default="medium", description="How much it matters.")
    pin: bool = Field(default=False, description="Keep it in front of every turn that needs the memory.")
    write_mode: Literal["default", "strict"] = Field(
        default="default", description="strict: sure at once, for convention, pattern, gotcha and decision."
    )
    files: list[str] = Field(
        default=[],
        max_length=MOST_FILES,
        description="Files of the lane that it is about; it is doubted once they change.",
    )


def _card(args: MemoryAdd) -> Card:
    return Card(title=f"Remember a {args.category}", blocks=(TextBlock(text=args.content),))


async def _run(args: MemoryAdd, ctx: ToolContext) -> ToolResult:
    wanted = ToRemember(
        content=args.content,
        category=args.category,
        importance=args.importance,
        pin=args.pin,
        strict=args.write_mode == "strict",
        files=tuple(args.files),
    )
    said = await ctx.offer(ChatMemory).add(ctx.call_id, wanted, args.scope, args.owner or "")
    refused = said.startswith("Not saved")
    return ToolResult(
        text=said, blocks=(TextBlock(text=args.content),), is_error=refused, summary=one_line(said.split(".")[0])[:120]
    )


TOOL = Tool(
    name="memory_add",
    aliases=("memoryAdd",),
    description=(
        "Remember one statement for later chats of this project. It begins as a candidate, and counts once it was said "
        "again in other chats or a person accepted it."
    ),
    guidance=(
        "Remember what the code and its history do not tell: conventions, decisions with their why, traps, wishes of "
        "the person. Write the rule first, then the reason. Do not remember progress, code, paths or logs."
    ),
    args=MemoryAdd,
    category=Category.READ,
    parallel=False,
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    needs=(ChatMemory,),
    card=_card,
    run=_run,
    for_guests=True,
)
