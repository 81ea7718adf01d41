"""Carrying out one call that may run: its tool, or the effect that its command had in a copy (memory-EP6)."""

from typing import Any

from pydantic import JsonValue

from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.inputs import Answered
from desktop.domain.core.errors import BanksmanError
from desktop.domain.gate.action import canonical_json
from desktop.tools.offers import TriedEffects
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

WITHOUT_EFFECT = frozenset({"effect_changed", "not_judged"})


async def carried(tool: Tool[Any], args: ToolArgs, context: ToolContext, answered: Answered | None) -> ToolResult:
    """The result of the call. Where a person had an effect applied the tool does not run, whatever comes of that.

    Raises:
        ToolError: it could not be done.
    """
    effect = answered.answer.effect if answered is not None else ""
    if answered is None or not effect:
        return await tool.run(args, context)
    tried = context.found(TriedEffects)
    if tried is None:
        raise ToolError("Nothing was done: what the command did in a copy is not kept.", summary="not applied")
    try:
        return await tried.apply(context.call_id, answered.input_id, effect)
    except ToolError:
        raise
    except BanksmanError as error:
        raise ToolError(str(error), summary="not applied") from error


def told_of_edit(result: ToolResult, edited: dict[str, JsonValue] | None) -> ToolResult:
    """The result, saying first what a person had changed of the call."""
    if edited is None:
        return result
    said = f"[The person changed this call before it ran: {canonical_json(edited)}]\n"
    return result.model_copy(update={"text": said + result.text})


def had_no_effect(prepared: Prepared, error: ToolError) -> bool:
    """Whether SQL was undone because it would have done more than a person saw, or not begun because the server says
    that it does more than was judged; only the first time, as with every difference."""
    sql = prepared.facts is not None and prepared.facts.sql is not None
    return sql and error.data.get("code") in WITHOUT_EFFECT and not prepared.asked_anew
