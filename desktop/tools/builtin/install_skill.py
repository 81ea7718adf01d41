"""install_skill: propose a folder of the lane as a skill of the person, who looks at every file first."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.policy import refusals
from desktop.tools.argument_checks import not_blank, one_line
from desktop.tools.calls.skills import ProposeSkill
from desktop.tools.git_results import lane_path
from desktop.tools.offers import Person, WorkingLane
from desktop.tools.text import title_line
from desktop.tools.tool import PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult


class InstallSkill(ToolArgs):
    """The folder to install, and the name of the skill."""

    path: str = Field(min_length=1, max_length=4_096, description="A folder of this lane that holds a SKILL.md.")
    id: str = Field(default="", max_length=64, description="The name of the skill; left out, the name of the folder.")

    _is_one_line = field_validator("path", "id")(one_line)
    _says_something = field_validator("path")(not_blank)


def _paths(args: InstallSkill) -> tuple[PathUse, ...]:
    return (PathUse(args.path, "read"),)


def _card(args: InstallSkill) -> Card:
    return Card(title=title_line(f"Propose the skill {args.id or args.path}"))


async def _run(args: InstallSkill, ctx: ToolContext) -> ToolResult:
    if not ctx.can_ask:
        raise ToolError(refusals.NO_PERSON, summary="nobody to ask")
    facts = ctx.files.resolve(args.path, "read")
    if facts.verdict != "inside" or facts.kind != "dir":
        raise ToolError(f"'{args.path}' is no folder of this lane.", summary="not proposed")
    place = lane_path(ctx, facts)
    skill_id = args.id or place.rpartition("/")[2]
    try:
        change = await ctx.offer(ProposeSkill)(ctx.call_id, place, skill_id, ctx.ask)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not installed") from error
    answer = change.answer
    if answer is None or answer.outcome != "allow_once":
        note, stops = (answer.note.strip(), answer.stop_turn) if answer is not None else ("", False)
        reason = f" Reason: {note}" if note else ""
        text = f"The person did not install the skill.{reason}"
        return ToolResult(text=text, is_error=True, summary="declined", stops_turn=stops)
    text = f"The person installed the skill {skill_id}."
    return ToolResult(text=text, summary="installed", data=change.values)


TOOL = Tool(
    name="install_skill",
    aliases=("InstallSkill",),
    description=(
        "Propose a folder of this lane as a skill. The person sees every file of it first and decides; from the next "
        "message on it can be loaded in all their chats."
    ),
    guidance="Propose a skill with install_skill only when the person asked for one.",
    args=InstallSkill,
    category=Category.READ,
    tier="workflow",
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    needs=(WorkingLane, Person, ProposeSkill),
    surfaces=frozenset({"chat"}),
    asks_person=True,
    paths=_paths,
    card=_card,
    run=_run,
    varies="Shows a person every file first, in every mode; only their yes installs it.",
)
