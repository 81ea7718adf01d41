"""Prompts of a server: which it has, and the text of one with its arguments filled in. Foreign text, all of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from desktop.domain.mcp.updates import McpPromptRow
from desktop.services.mcp.link import LIST_LIMIT_S, McpError, McpLink
from desktop.services.mcp.results import LinkPart, TextPart, read_answer

if TYPE_CHECKING:
    from mcp.types import GetPromptResult

MOST_PROMPTS = 100
MOST_WORDS = 300
LEFT_OUT = "[Something that is no text was left out.]"


async def listed_prompts(link: McpLink) -> tuple[McpPromptRow, ...]:
    """The prompts that the server lists, at most 100; none of one that has no such list."""
    if not link.has("prompts"):
        return ()
    try:
        page = await link.asked("listing its prompts", link.session.list_prompts(), LIST_LIMIT_S)
    except McpError:
        return ()
    return tuple(
        McpPromptRow(
            name=one.name,
            description=(one.description or "")[:MOST_WORDS],
            arguments=tuple((arg.name, (arg.description or "")[:MOST_WORDS], bool(arg.required)) for arg in said),
        )
        for one in page.prompts[:MOST_PROMPTS]
        for said in [one.arguments or ()]
    )


async def filled_prompt(link: McpLink, name: str, arguments: Mapping[str, str]) -> str:
    """The texts of a prompt, one below the other. Raises McpError: the server does not give it."""
    request = link.session.get_prompt(name, dict(arguments))
    said: GetPromptResult = await link.asked(f"the prompt {name}", request, LIST_LIMIT_S)
    contents: list[JsonValue] = [one.content.model_dump(mode="json", by_alias=True) for one in said.messages]
    lines: list[str] = []
    for part in read_answer({"content": contents}).parts:
        lines.append(part.text if isinstance(part, TextPart) else part.uri if isinstance(part, LinkPart) else LEFT_OUT)
    return "\n\n".join(lines)
