"""uninstall_skill: take one of the person's own skills away, which they allow each time and can take back."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.tools.argument_checks import not_blank, one_line
from desktop.tools.calls.skills import RemoveSkill
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolError, ToolResult

_CARD = "No chat can load it any more. It is kept for 30 days: Settings, Skills brings it back as it was accepted."


class UninstallSkill(ToolArgs):
    """The skill to take away."""

    id: str = Field(min_length=1, max_length=64, description="The name of a skill of the person's own.")

    _is_one_line = field_validator("id")(one_line)
    _says_something = field_validator("id")(not_blank)


def _card(args: UninstallSkill) -> Card:
    return Card(title=title_line(f"Take away the skill {args.id}"), blocks=(TextBlock(text=_CARD),))


def _assess(args: UninstallSkill, ctx: ToolContext) -> Evidence:
    reason = "It takes a skill away from all of your chats."
    return Evidence(assessment=Assessment(category=Category.EXTERNAL, needs_consent=True, reason=reason))


async def _run(args: UninstallSkill, ctx: ToolContext) -> ToolResult:
    try:
        change = await ctx.offer(RemoveSkill)(args.id)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not taken away") from error
    text = f"Took away the skill {args.id}. The person can bring it back."
    return ToolResult(text=text, summary="taken away", data=change.values)


TOOL = Tool(
    name="uninstall_skill",
    aliases=("UninstallSkill", "uninstallSkill"),
    description=(
        "Take away a skill of the person's own, which is asked about in every mode. It stays in their trash for 30 "
        "days. Skills of the repository are files of it."
    ),
    guidance="Take a skill away with uninstall_skill only when the person asked for it.",
    args=UninstallSkill,
    category=Category.EXTERNAL,
    tier="workflow",
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    needs=(RemoveSkill,),
    surfaces=frozenset({"chat"}),
    card=_card,
    assess=_assess,
    run=_run,
    varies="Asks in every mode; no rule and no grant covers it.",
)
