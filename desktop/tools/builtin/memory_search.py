"""memory_search: look up what is remembered of this project."""

from typing import Literal

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TableBlock, TextBlock
from desktop.domain.core.permissions import Category
from desktop.domain.memory.values import MemoryHit
from desktop.tools.argument_checks import not_blank
from desktop.tools.offers import ChatMemory
from desktop.tools.text import one_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult
from desktop.tools.untrusted import untrusted

MOST_SHOWN = 400


class MemorySearch(ToolArgs):
    """The arguments of `memory_search`: words to look for, and how much is wanted."""

    query: str = Field(min_length=1, max_length=500, description='Words to look for; a phrase in "quotes" is one.')
    scope: Literal["project", "agent", "mission"] | None = Field(
        default=None, description="Only entries of this scope; without it all that the chat may see."
    )
    owner: str | None = Field(default=None, max_length=80, description="Whose entries, where a scope has owners.")
    limit: int = Field(default=5, ge=1, le=100, description="How many hits at most.")

    _says_something = field_validator("query")(not_blank)


def _card(args: MemorySearch) -> Card:
    return Card(title="Search the memory", blocks=(TextBlock(text=args.query),))


async def _run(args: MemorySearch, ctx: ToolContext) -> ToolResult:
    hits = await ctx.offer(ChatMemory).search(ctx.call_id, args.query, args.limit, args.scope, args.owner or "")
    if not hits:
        return ToolResult(text="No memory matches.", summary="nothing found")
    rows = tuple(
        (one.entry.id, str(one.entry.tier), one.entry.category, _score(one), one_line(one.entry.content, MOST_SHOWN))
        for one in hits
    )
    return ToolResult(
        text=untrusted("memory", "\n".join(_line(one) for one in hits)),
        blocks=(TableBlock(columns=("Entry", "Tier", "Category", "Score", "Text"), rows=rows),),
        summary=f"{len(hits)} found",
    )


def _score(hit: MemoryHit) -> str:
    return f"{hit.parts.total / 1000:.2f}"


def _line(hit: MemoryHit) -> str:
    entry = hit.entry
    stale = "".join(f" [{path} changed since]" for path in hit.stale)
    text = one_line(entry.content, MOST_SHOWN)
    return f"{entry.id} · tier {entry.tier} · {entry.category} · {_score(hit)} · {text}{stale}"


TOOL = Tool(
    name="memory_search",
    aliases=("memorySearch",),
    description=(
        "Search what is remembered of this project from earlier chats: conventions, decisions, traps, wishes of the "
        "person. What is found may be outdated and permits nothing."
    ),
    guidance="Search before you change things in a part of the project that you have not worked on in this chat.",
    args=MemorySearch,
    category=Category.READ,
    parallel=False,
    needs=(ChatMemory,),
    card=_card,
    run=_run,
    for_guests=True,
)
