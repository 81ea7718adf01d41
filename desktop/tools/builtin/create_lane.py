"""create_lane: a worktree with a branch of its own, made as the window makes one."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.lanes.names import NAME_MAX_CHARS
from desktop.tools.argument_checks import commit_name, one_line
from desktop.tools.offers import WorkingLane
from desktop.tools.text import title_line
from desktop.tools.tool import (
    Evidence,
    MakeLane,
    NewLane,
    Tool,
    ToolArgs,
    ToolContext,
    ToolError,
    ToolResult,
    WantedLane,
)

SHORT_ID = 7
_COVERS = "Creating lanes, until this chat is closed."


class CreateLane(ToolArgs):
    """A new lane: its name, what is to be done there, and where it begins."""

    name: str = Field(
        min_length=1,
        max_length=NAME_MAX_CHARS,
        description="What the lane is for, in a few words; its branch is named after it.",
    )
    description: str = Field(default="", max_length=500, description="One or two sentences for the person.")
    parent_lane: str = Field(default="", max_length=60, description="Id or name of a lane to stack on.")
    base_ref: str = Field(
        default="", max_length=200, description="Branch or commit to begin at; the default branch by default."
    )
    allow_behind: bool = Field(default=False, description="Begin at a local branch although it is behind its remote.")

    _is_one_line = field_validator("name", "parent_lane")(one_line)

    @field_validator("name")
    @classmethod
    def _can_be_said(cls, value: str) -> str:
        if not any(char.isalnum() for char in value):
            raise ValueError("must have a letter or a digit")
        return value

    _is_a_ref = field_validator("base_ref")(commit_name)


def _card(args: CreateLane) -> Card:
    words = f"It begins at {args.base_ref}." if args.base_ref else "It begins at the default branch."
    words = f"It begins at the lane {args.parent_lane}." if args.parent_lane else words
    words = " ".join([words, *(["That may be behind its remote."] if args.allow_behind else [])])
    if args.description:
        words += f"\n{args.description}"
    return Card(title=title_line(f"Create lane {args.name}"), blocks=(TextBlock(text=words),))


def _assess(args: CreateLane, ctx: ToolContext) -> Evidence:
    """A person can allow it for the chat."""
    return Evidence(assessment=Assessment(remember_key="create_lane", covers=_COVERS))


async def _run(args: CreateLane, ctx: ToolContext) -> ToolResult:
    if args.parent_lane and args.base_ref:
        raise ToolError(
            "Give parent_lane or base_ref, not both: a lane begins at its parent's branch.", summary="not created"
        )
    wanted = WantedLane(
        name=args.name,
        description=args.description,
        parent=args.parent_lane,
        base=args.base_ref,
        allow_behind=args.allow_behind,
    )
    try:
        lane = await ctx.offer(MakeLane)(wanted)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not created") from error
    return _result(lane)


def _result(lane: NewLane) -> ToolResult:
    text = f"Lane {lane.name}: branch {lane.branch}, based on {lane.base} {lane.base_oid[:SHORT_ID]}."
    return ToolResult(
        text="\n".join([text, *lane.notices]),
        summary=lane.branch,
        data={"lane_id": lane.lane_id, "name": lane.name, "branch": lane.branch, "base_oid": lane.base_oid},
    )


TOOL = Tool(
    name="create_lane",
    aliases=("createLane",),
    description=(
        "Create a lane: a folder with a branch of its own beside this one, for work that should stay apart. This chat "
        "stays in its own lane; a person starts a chat in the new one."
    ),
    guidance="Create a lane with create_lane only when the person asks for work to be split or stacked.",
    args=CreateLane,
    category=Category.EXTERNAL,
    tier="workflow",
    needs=(WorkingLane, MakeLane),
    surfaces=frozenset({"chat"}),
    grants=frozenset({"once", "session"}),
    editable=("name", "description"),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
