"""Prompts of a server: which it has, and the text of one with its arguments filled in. Foreign text, all of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from desktop.domain.mcp.updates import McpPromptRow
from desktop.records import dataclass
from desktop.services.mcp.link import LIST_LIMIT_S, McpError, McpLink
from desktop.services.mcp.results import BytesPart, LinkPart, TextPart, read_answer
from desktop.services.pictures.header import MAX_BYTES, read_header

if TYPE_CHECKING:
    from mcp.types import GetPromptResult, ReadResourceResult

MOST_PROMPTS = 100
MOST_WORDS = 300
MOST_LINKED = 20
MOST_PICTURES = 5
LEFT_OUT = "[Something that is neither text nor a picture was left out.]"


@dataclass(frozen=True)
class FilledPrompt:
    """The texts of a prompt, one below the other; where a picture stood, its number among `pictures`."""

    text: str
    pictures: tuple[bytes, ...] = ()


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


async def filled_prompt(link: McpLink, name: str, arguments: Mapping[str, str]) -> FilledPrompt:
    """A prompt with its arguments filled in. Raises McpError: the server does not give it."""
    request = link.session.get_prompt(name, dict(arguments))
    said: GetPromptResult = await link.asked(f"the prompt {name}", request, LIST_LIMIT_S)
    contents: list[JsonValue] = [one.content.model_dump(mode="json", by_alias=True) for one in said.messages]
    lines, pictures = list[str](), list[bytes]()
    for place, part in enumerate(read_answer({"content": contents}).parts):
        if isinstance(part, LinkPart):
            lines.append(await _linked(link, part.uri) if place < MOST_LINKED else part.uri)
        elif isinstance(part, TextPart):
            lines.append(part.text)
        elif len(pictures) < MOST_PICTURES and _is_picture(part):
            pictures.append(part.raw)
            lines.append(f"[Picture {len(pictures)}]")
        else:
            lines.append(LEFT_OUT)
    return FilledPrompt("\n\n".join(lines), tuple(pictures))


def _is_picture(part: BytesPart) -> bool:
    """One that can go with a message: by its own bytes, whatever the server calls it."""
    header = read_header(part.raw)
    return header is not None and header.fits and len(part.raw) <= MAX_BYTES


async def _linked(link: McpLink, uri: str) -> str:
    """The texts of a resource of the server that a prompt names; the address alone where it has none, and of a file of
    this computer, which a server is not asked for."""
    if not link.has("resources") or uri[:5].lower() == "file:":
        return uri
    try:
        said: ReadResourceResult = await link.asked(
            f"the resource {uri}", link.session.read_resource(uri), LIST_LIMIT_S
        )
    except McpError:
        return uri
    contents = [one.model_dump(mode="json", by_alias=True) for one in said.contents]
    answer = read_answer({"content": [{"type": "resource", "resource": one} for one in contents]})
    return answer.text.strip() or uri
