"""kill_shell: end a background command and all it started."""

from pydantic import Field

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.services.processes.around import ProcessError
from desktop.tools.command_results import row_summary
from desktop.tools.offers import BackgroundShells
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult


class KillShell(ToolArgs):
    """The background command that ends."""

    shell_id: str = Field(min_length=1, max_length=40, description="Which background command, like sh1.")


def _card(args: KillShell) -> Card:
    return Card(title=title_line(f"Stop {args.shell_id}"))


async def _run(args: KillShell, ctx: ToolContext) -> ToolResult:
    try:
        count, completed = await ctx.processes.kill(args.shell_id)
    except ProcessError as error:
        raise ToolError(str(error), summary="no such command") from error
    if completed.ending != "stopped" or count == 0:
        return ToolResult(text=f"{args.shell_id} had already ended ({row_summary(completed)}).", summary="had ended")
    number = count_words(count, "process", "processes")
    verb = "was" if count == 1 else "were"
    return ToolResult(text=f"{args.shell_id} was stopped; {number} {verb} ended.", summary=f"{number} ended")


TOOL = Tool(
    name="kill_shell",
    aliases=("KillShell", "KillBash"),
    description="End a background command of this chat and every process it started.",
    args=KillShell,
    category=Category.READ,
    parallel=False,
    needs=(BackgroundShells,),
    card=_card,
    run=_run,
)
