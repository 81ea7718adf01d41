"""propose_boundary: words of the person that forbid something, put before them as a rule."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.tools.argument_checks import one_line
from desktop.tools.arguments import spellings_for
from desktop.tools.calls.boundaries import ChatBoundaries, WantedBoundary
from desktop.tools.offers import Person
from desktop.tools.text import title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult


class ProposeBoundary(ToolArgs):
    """The arguments of `propose_boundary`: the words, and the one thing that they are about."""

    quote: str = Field(min_length=3, max_length=500, description="The person's own words, letter by letter.")
    decision: Literal["ask", "deny"] = Field(default="deny", description="deny: never; ask: only after asking them.")
    command: str = Field(default="", max_length=200, description="The first words of a command, as git push.")
    path: str = Field(default="", max_length=400, description="A pattern of files of the lane, as db/migrations/**.")
    reading: bool = Field(default=False, description="The path may not be read; otherwise it may not be changed.")
    tool: str = Field(default="", max_length=80, description="The name of a tool.")

    _is_one_line = field_validator("command", "path", "tool")(one_line)

    @model_validator(mode="after")
    def _is_about_one_thing(self) -> "ProposeBoundary":
        if sum(map(bool, (self.command.strip(), self.path.strip(), self.tool.strip()))) != 1:
            raise ValueError("give one of command, path and tool")
        if self.path.startswith(("/", "~")) or ".." in self.path.split("/"):
            raise ValueError("path is a pattern below the lane")
        return self


def _card(args: ProposeBoundary) -> Card:
    about = args.command or args.path or args.tool
    return Card(title=title_line(f"Propose a boundary: {about}"), blocks=(TextBlock(text=f"“{args.quote}”"),))


async def _run(args: ProposeBoundary, ctx: ToolContext) -> ToolResult:
    wanted = WantedBoundary(
        quote=args.quote.strip(),
        decision=args.decision,
        command=args.command.strip(),
        path=args.path.strip(),
        reading=args.reading,
        tool=args.tool.strip(),
    )
    try:
        title = ctx.offer(ChatBoundaries).propose(ctx.call_id, wanted)
    except ToolError:
        raise
    except BanksmanError as error:
        raise ToolError(str(error), summary="not proposed") from error
    return ToolResult(
        text=f"Proposed: {title}. It does not hold before the person keeps it; heed it all the same.",
        summary=title_line(title),
    )


TOOL = Tool(
    name="propose_boundary",
    aliases=("proposeBoundary",),
    description=(
        "Put words of the person that forbid something before them as a rule, when they were not recognised, for "
        "example in another language. Only words that they wrote in this chat count, letter by letter. It holds once "
        "they keep it. No tool lifts a boundary."
    ),
    args=ProposeBoundary,
    spellings=spellings_for(ProposeBoundary),
    category=Category.READ,
    needs=(Person, ChatBoundaries),
    parallel=False,
    card=_card,
    run=_run,
)
