"""pr_rerun_failed_checks: checks of the lane's pull request that failed, run again."""

from pydantic import Field

from desktop.domain.core.content import Card, TableBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.tools.offers import OpenPull
from desktop.tools.pull_arguments import RequestArgs, request_target
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.text import count_words
from desktop.tools.tool import Evidence, Tool, ToolContext, ToolError, ToolResult
from desktop.tools.untrusted import untrusted

MAX_NAMES = 100


class PrRerunFailedChecks(RequestArgs):
    """The failed checks that run again; none named: all of them."""

    check_names: list[str] = Field(
        default_factory=list, max_length=MAX_NAMES, description="Names of failed checks; all that failed by default."
    )


def _card(args: PrRerunFailedChecks) -> Card:
    names = "\n".join(args.check_names)
    title = "Run failed checks again" if names else "Run all failed checks again"
    return Card(title=title, blocks=(TextBlock(text=names),) if names else ())


def _assess(args: PrRerunFailedChecks, ctx: ToolContext) -> Evidence:
    target = request_target(ctx, "pr_rerun_failed_checks", args.pr)
    assessment = Assessment(
        category=Category.EXTERNAL,
        remember_key=f"pr_rerun_failed_checks {target}",
        covers="Running failed checks of this pull request again, until this chat is closed.",
    )
    return Evidence(assessment=assessment, publishes=True, target=target)


async def _run(args: PrRerunFailedChecks, ctx: ToolContext) -> ToolResult:
    pulls = ctx.offer(ChatPulls)
    try:
        results = await pulls.rerun(tuple(args.check_names))
    except BanksmanError as error:
        raise ToolError(str(error), summary="not run again") from error
    asked = [one for one in results if not one.problem]
    lines = [f"{one.name}: {one.problem or 'runs again'}" for one in results]
    told = f"{len(asked)} of {count_words(len(results), 'check')} will run again."
    return ToolResult(
        text=f"{told}\n{untrusted(pulls.source, chr(10).join(lines))}",
        blocks=(
            TableBlock(
                columns=("Check", "What came of it"),
                rows=tuple((one.name, one.problem or "runs again") for one in results),
            ),
        ),
        is_error=not asked,
        summary=f"{len(asked)} of {len(results)}",
        untrusted=(pulls.source,),
        data={"asked": len(asked), "refused": len(results) - len(asked)},
    )


TOOL = Tool(
    name="pr_rerun_failed_checks",
    aliases=("prRerunFailedChecks",),
    description=(
        "Ask GitHub to run failed checks of this lane's pull request again: of a workflow run all jobs that failed. It "
        "does not wait for them."
    ),
    args=PrRerunFailedChecks,
    category=Category.EXTERNAL,
    tier="workflow",
    needs=(OpenPull, ChatPulls),
    grants=frozenset({"once", "session"}),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
)
