"""What a model service did by itself for an answer: calls of tools of its own and their results, among the parts."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import Parts
from desktop.domain.web.events import FoundPage

CALL_TYPES = frozenset({"server_tool_use", "mcp_tool_use"})
_RESULT_ENDING = "_tool_result"
UNFINISHED = "[Banksman] What the model service began here by itself was not finished."
"""Stands in the place of a call of the service whose result never came; it takes none back without its result."""


class VendorAct(Frozen):
    """One thing that the service did. `tool`: what it calls it; `query`: what it was asked, in words; `problem`: why
    nothing came of it, "" where something did or where it is not known what did."""

    call_id: str
    tool: str
    query: str
    results: tuple[FoundPage, ...] = ()
    problem: str = ""


def is_call(part: Mapping[str, Any]) -> bool:
    """Whether the part is a call that the service carries out itself."""
    return part.get("type") in CALL_TYPES and isinstance(part.get("id"), str)


def is_result(part: Mapping[str, Any]) -> bool:
    """Whether the part is the result of such a call; never the result of one of ours."""
    return result_type(part.get("type")) and isinstance(part.get("tool_use_id"), str)


def result_type(kind: object) -> bool:
    """Whether results of the service's own tools have this type: each tool has one."""
    return isinstance(kind, str) and kind.endswith(_RESULT_ENDING)


def vendor_acts(parts: Parts) -> tuple[VendorAct, ...]:
    """What the service did for an answer, in order; a result without its call is one too."""
    acts: dict[str, VendorAct] = {}
    for part in parts:
        if isinstance(part, dict) and is_call(part):
            call_id = str(part["id"])
            query = _query(part.get("input"))
            acts[call_id] = VendorAct(call_id=call_id, tool=str(part.get("name") or ""), query=query)
        elif isinstance(part, dict) and is_result(part):
            call_id = str(part["tool_use_id"])
            tool = str(part["type"]).removesuffix(_RESULT_ENDING)
            act = acts.get(call_id, VendorAct(call_id=call_id, tool=tool, query=""))
            problem = _problem(part.get("content"))
            acts[call_id] = act.model_copy(update={"results": found_pages(part), "problem": problem})
    return tuple(acts.values())


def found_pages(part: Mapping[str, Any]) -> tuple[FoundPage, ...]:
    """The pages that a result names."""
    return tuple(_pages(part.get("content")))


def in_words(part: Mapping[str, Any]) -> str:
    """A call or a result as text, for a service that did not do it itself. Only addresses of what was found: titles are
    words of strangers."""
    if is_call(part):
        return f"[The model service did by itself: {part.get('name')} {_query(part.get('input'))}]"
    found = ", ".join(page.url for page in found_pages(part))
    return f"[It got: {found or _problem(part.get('content')) or 'a result that is not shown'}]"


def _query(given: JsonValue) -> str:
    """What was asked: the words of a search, the address of a page, else all that was given."""
    if isinstance(given, dict):
        for name in ("query", "url"):
            if isinstance(word := given.get(name), str):
                return word
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _pages(content: JsonValue) -> Iterable[FoundPage]:
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, dict) and isinstance(url := one.get("url"), str):
            title = one.get("title")
            yield FoundPage(url=url, title=title if isinstance(title, str) else "")


def _problem(content: JsonValue) -> str:
    code = content.get("error_code") if isinstance(content, dict) else None
    return str(code) if code else ""
