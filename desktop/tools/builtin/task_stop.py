"""task_stop: end a sub-agent and all that it runs."""

from pydantic import Field

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.tools.offers import OwnChildren
from desktop.tools.text import title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult


class TaskStop(ToolArgs):
    """The task that ends."""

    task_id: str = Field(min_length=1, max_length=20, description="Which task, like t3.")


def _card(args: TaskStop) -> Card:
    return Card(title=title_line(f"Stop {args.task_id}"))


async def _run(args: TaskStop, ctx: ToolContext) -> ToolResult:
    ran = await ctx.offer(OwnChildren).stop(args.task_id)
    told = "was stopped" if ran else "had already ended"
    return ToolResult(text=f"{args.task_id} {told}.", summary=told)


TOOL = Tool(
    name="task_stop",
    aliases=("TaskStop", "KillTask"),
    description="End a sub-agent of this chat and all that it runs.",
    args=TaskStop,
    category=Category.READ,
    parallel=False,
    needs=(OwnChildren,),
    surfaces=frozenset({"chat"}),
    card=_card,
    run=_run,
    for_guests=True,
)
