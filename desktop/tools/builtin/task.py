"""task: begin another agent for one piece of work, and get its result."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from desktop.domain.children.values import ChildLane
from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.argument_checks import not_blank
from desktop.tools.calls.children import child_result
from desktop.tools.offers import Children, WantedChild
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolResult


class Task(ToolArgs):
    """The arguments of `task`: which agent does what, with which means."""

    description: str = Field(min_length=1, max_length=100, description="The task in a few words, for people.")
    prompt: str = Field(
        min_length=1, max_length=20_000, description="All that the agent needs to know: it sees nothing of this chat."
    )
    agent: str = Field(default="explorer", min_length=1, max_length=64, description="Which agent does it.")
    scope: list[str] = Field(default=[], max_length=100, description="Globs of the files that it is about.")
    background: bool | None = Field(default=None, description="Go on at once; the result comes as a note later.")
    lane: ChildLane | None = Field(
        default=None,
        description="same: this lane. own: one of its own, from which take_task_changes brings its work.",
    )
    model: str | None = Field(default=None, min_length=1, max_length=200, description="Another model.")
    max_steps: int | None = Field(default=None, ge=1, le=1_000, description="After how many steps it ends.")
    resume: str | None = Field(default=None, max_length=20, description="A task, like t3, that goes on with this.")

    _says_something = field_validator("prompt", "description")(not_blank)

    @model_validator(mode="after")
    def _short_globs(self) -> Self:
        if any(not glob.strip() or len(glob) > 300 for glob in self.scope):
            raise ValueError("scope must hold globs of 1 to 300 characters")
        return self


def _card(args: Task) -> Card:
    where = "".join(
        (
            " · in the background" if args.background else "",
            " · in a lane of its own" if args.lane == "own" else "",
            f" · goes on with {args.resume}" if args.resume else "",
        )
    )
    title = title_line(f"{args.agent}: {args.description}{where}")
    return Card(title=title, blocks=(TextBlock(text=args.prompt, prose=True),))


def _assess(args: Task, ctx: ToolContext) -> Evidence:
    children = ctx.offer(Children)
    agent = children.agent_of(args.resume) if args.resume else children.agent(args.agent)
    category = Category.WRITE if agent.writes or (args.lane or agent.lane) == "own" else Category.READ
    return Evidence(assessment=Assessment(category=category), begins_agent=True)


async def _run(args: Task, ctx: ToolContext) -> ToolResult:
    report = await ctx.offer(Children).run(
        ctx.call_id,
        WantedChild(
            description=args.description.strip(),
            prompt=args.prompt,
            agent=args.agent,
            scope=tuple(args.scope),
            background=args.background,
            lane=args.lane,
            model=args.model or "",
            max_steps=args.max_steps or 0,
            resume=args.resume or "",
        ),
    )
    return child_result(report)


TOOL = Tool(
    name="task",
    aliases=("Task", "Agent"),
    description=(
        "Begin another agent for one piece of work and get its last words. explorer finds things out, reviewer looks "
        "at the changes, planner writes a plan, implementer changes files and runs commands. It sees nothing of this "
        "chat. Calls side by side run together, at most four at once."
    ),
    args=Task,
    category=Category.READ,
    parallel=True,
    needs=(Children,),
    surfaces=frozenset({"chat"}),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
    guidance=(
        "Use it for searches over many files whose details you do not need yourself, and for pieces of work that do "
        "not depend on one another; give those that write at once lanes of their own. Do small things yourself. Say in "
        "the prompt what is wanted, where to look and what to answer with. What it answers is a claim: check what you "
        "rely on."
    ),
    varies="An agent that can write counts as a change of files; a fifth in one turn asks once.",
)
