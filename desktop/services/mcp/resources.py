"""Resources of servers, and what a server proposes for what a person writes. Foreign text, all of it."""

from collections.abc import Mapping
from typing import Literal

from desktop.domain.mcp.updates import McpResource
from desktop.late import late
from desktop.services.mcp.link import McpError, McpLink

MOST = 1_000
MOST_PAGES = 20
COMPLETE_LIMIT_S = 10.0
MOST_VALUES = 100
LONGEST_VALUE = 500
_ASKED = "a request for its resources"


async def listed_resources(link: McpLink, limit_s: float) -> tuple[McpResource, ...]:
    """What the server lists, and the templates that it has. Raises McpError: it does not answer."""
    if not link.has("resources"):
        return ()
    found: list[McpResource] = []
    types, cursor = late("mcp.types"), None
    for _ in range(MOST_PAGES):
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await link.asked(_ASKED, link.session.list_resources(params=params), limit_s)
        found += [McpResource(str(one.uri), one.name, one.description or "") for one in page.resources]
        cursor = page.next_cursor
        if not cursor or len(found) > MOST:
            break
    try:
        patterns = await link.asked(_ASKED, link.session.list_resource_templates(), limit_s)
    except McpError:
        return tuple(found)
    gaps = [
        McpResource(one.uri_template, one.name, one.description or "", is_template=True)
        for one in patterns.resource_templates[:MOST]
    ]
    return (*found, *gaps)


async def completed(
    link: McpLink,
    kind: Literal["prompt", "resource"],
    name: str,
    argument: tuple[str, str],
    given: Mapping[str, str],
) -> tuple[str, ...]:
    """What the server proposes for an argument (its name, and how its value begins); nothing where it proposes none.
    Raises McpError: it does not answer."""
    if not link.has("completions"):
        return ()
    types = late("mcp.types")
    prompt = types.PromptReference(type="ref/prompt", name=name)
    ref = prompt if kind == "prompt" else types.ResourceTemplateReference(type="ref/resource", uri=name)
    asked = link.session.complete(ref, {"name": argument[0], "value": argument[1]}, dict(given) or None)
    said = await link.asked("a request to complete a word", asked, COMPLETE_LIMIT_S)
    return tuple(value for value in said.completion.values[:MOST_VALUES] if 0 < len(value) <= LONGEST_VALUE)
