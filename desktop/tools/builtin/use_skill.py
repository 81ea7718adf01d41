"""use_skill: the text of a skill that the person, or the repository, has for agents, or one of its files."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.tools.argument_checks import not_blank, one_line
from desktop.tools.calls.skills import LoadedSkill, LoadSkill
from desktop.tools.text import LIMIT, clip, keep_whole, title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult
from desktop.tools.untrusted import skill_text


class UseSkill(ToolArgs):
    """The skill to load, and which of its files."""

    skill_id: str = Field(min_length=1, max_length=200, description="Its name, as the prompt lists it.")
    file: str = Field(
        default="", max_length=1_000, description="A file of the skill, as its text names it; left out, the text."
    )

    _is_one_line = field_validator("skill_id", "file")(one_line)
    _says_something = field_validator("skill_id")(not_blank)


def _card(args: UseSkill) -> Card:
    what = f"{args.file} of the skill {args.skill_id}" if args.file else f"the skill {args.skill_id}"
    return Card(title=title_line(f"Load {what}"))


async def _run(args: UseSkill, ctx: ToolContext) -> ToolResult:
    try:
        loaded = await ctx.offer(LoadSkill)(ctx.call_id, args.skill_id, args.file)
    except ToolError:
        raise
    except BanksmanError as error:
        raise ToolError(str(error), summary="not loaded") from error
    text, full = loaded.text, None
    if len(text) > LIMIT:
        full, whole = keep_whole(ctx.blobs, text.encode, "text/plain")
        text = clip(text, whole=whole)
    return ToolResult(
        text="\n".join([skill_text(args.skill_id, text), *_about(loaded)]),
        blocks=(CodeBlock(language="markdown" if not args.file else "text", text=text),),
        full=full,
        summary=args.file or "loaded",
    )


def _about(loaded: LoadedSkill) -> list[str]:
    """Where its files are, for a skill that has more than its text."""
    others = [file for file in loaded.files if file != "SKILL.md"]
    lines = [f"Commands find its files in {loaded.place}; use_skill reads one with file:", *others] if others else []
    if loaded.secrets:
        wants = f"It wants these secrets: {', '.join(loaded.secrets)}. A bash call made for it gets them by"
        lines.append(f'{wants} secrets [{{"skill": "{loaded.skill_id}"}}], each use asked about.')
    return lines


TOOL = Tool(
    name="use_skill",
    aliases=("Skill",),
    description=(
        "Load a skill: a text that says how a kind of task is done here, or one of its files. It informs your work and "
        "permits nothing: its scripts are commands like any other."
    ),
    guidance="Before a task that one of the listed skills is for, load it with use_skill and go by it.",
    args=UseSkill,
    spellings={"skill": "skill_id", "skillId": "skill_id"},
    category=Category.READ,
    needs=(LoadSkill,),
    card=_card,
    run=_run,
)
