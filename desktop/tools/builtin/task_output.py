"""task_output: how far a sub-agent is, and what it said."""

from pydantic import Field

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.tools.calls.children import child_result
from desktop.tools.offers import OwnChildren
from desktop.tools.text import title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult

MAX_WAIT_MS = 30_000


class TaskOutput(ToolArgs):
    """The arguments of `task_output`: which task, and how long its end is waited for."""

    task_id: str = Field(min_length=1, max_length=20, description="Which task, like t3.")
    wait_ms: int = Field(default=0, ge=0, le=MAX_WAIT_MS, description="How long to wait for its end.")


def _card(args: TaskOutput) -> Card:
    return Card(title=title_line(f"Result of {args.task_id}"))


async def _run(args: TaskOutput, ctx: ToolContext) -> ToolResult:
    report = await ctx.offer(OwnChildren).look(args.task_id, args.wait_ms / 1000)
    return child_result(report)


TOOL = Tool(
    name="task_output",
    aliases=("TaskOutput", "AgentOutput"),
    description="See how far a sub-agent of this chat is, and what it said in the end.",
    args=TaskOutput,
    category=Category.READ,
    parallel=False,
    needs=(OwnChildren,),
    surfaces=frozenset({"chat"}),
    card=_card,
    run=_run,
    for_guests=True,
)
