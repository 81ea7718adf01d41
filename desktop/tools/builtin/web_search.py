"""web_search: results of a search service that a person set up."""

from pydantic import Field, JsonValue

from desktop.domain.core.content import Card, CodeBlock, LinkBlock
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.calls.web import ChatSearch, requests_data
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolResult
from desktop.tools.untrusted import untrusted

TITLE_CHARS = 90


class WebSearch(ToolArgs):
    """The words to search for."""

    query: str = Field(min_length=1, max_length=400, description="What to search for.")
    count: int = Field(default=5, ge=1, le=10, description="How many results to show.")


def _card(args: WebSearch) -> Card:
    block = CodeBlock(language="text", text=args.query)
    return Card(title=title_line(f"Search the web for {args.query}", TITLE_CHARS), blocks=(block,))


def _assess(args: WebSearch, ctx: ToolContext) -> Evidence:
    search = ctx.offer(ChatSearch)
    web = search.facts(args.query)
    covers = f"Searches with {search.name}, until this chat is closed."
    return Evidence(
        assessment=Assessment(category=Category.READ, remember_key=web.remember_key, covers=covers),
        network=True,
        web=web,
    )


async def _run(args: WebSearch, ctx: ToolContext) -> ToolResult:
    search = ctx.offer(ChatSearch)
    found = await search.search(args.query, args.count)
    data: dict[str, JsonValue] = {"requests": requests_data(found.requests)}
    hits = found.hits
    if not hits:
        return ToolResult(text=f"{search.name} found nothing for these words.", summary="no results", data=data)
    source = "web:search"
    lines = "\n\n".join(f"{hit.title}\n{hit.url}\n{hit.snippet}".rstrip() for hit in hits)
    return ToolResult(
        text=untrusted(source, lines),
        blocks=tuple(LinkBlock(url=hit.url, label=hit.title or hit.url) for hit in hits),
        summary=count_words(len(hits), "result"),
        data=data,
        untrusted=(source,),
    )


TOOL = Tool(
    name="web_search",
    description="Search the web with the service that the person set up. Gives titles, addresses and short extracts.",
    args=WebSearch,
    category=Category.READ,
    run=_run,
    for_guests=True,
    card=_card,
    assess=_assess,
    aliases=("webSearch", "WebSearch"),
    needs=(ChatSearch,),
    grants=frozenset({"once", "session", "project"}),
    varies="The first search asks in every mode, and so does each once the chat has read from outside.",
)
