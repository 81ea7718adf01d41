"""exit_plan_mode: present a plan; a person approves it, changes it, or sends it back."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.events import ModeChanged
from desktop.domain.gate.pending import Answer, PlanReview
from desktop.tools.argument_checks import not_blank
from desktop.tools.arguments import spellings_for
from desktop.tools.offers import Person
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_PLAN = 50_000
STAY = "Stay in plan mode and revise."


class ExitPlanMode(ToolArgs):
    """The plan that a person is to approve."""

    plan: str = Field(min_length=1, max_length=MAX_PLAN, description="The whole plan, as Markdown.")

    _says_something = field_validator("plan")(not_blank)


def _card(args: ExitPlanMode) -> Card:
    return Card(title="Present the plan", blocks=(TextBlock(text=args.plan, markdown=True),))


async def _run(args: ExitPlanMode, ctx: ToolContext) -> ToolResult:
    if ctx.session.mode is not PermissionMode.PLAN:
        raise ToolError("Already out of plan mode.", summary="not in plan mode")
    if not ctx.can_ask:
        raise ToolError(f"Not approved: nobody can answer here. {STAY}", summary="nobody to ask")
    before = ctx.session.previous_mode
    if before in (None, PermissionMode.PLAN, PermissionMode.FULL_AUTO):
        before = PermissionMode.EDIT  # full auto is chosen in its dialog only (gate-G11)
    answer = await ctx.ask(PlanReview(call_id=ctx.call_id, plan=args.plan, mode_after=before))
    if answer.outcome not in ("allow_once", "allow_always"):
        note = answer.note.strip() or "no reason was given"
        ending = "" if note.endswith((".", "!", "?")) else "."
        return ToolResult(text=f"Not approved: {note}{ending} {STAY}", is_error=True, summary="not approved")
    return _approved(args, answer, answer.mode or before)


def _approved(args: ExitPlanMode, answer: Answer, mode: PermissionMode) -> ToolResult:
    text = f"Plan approved. Mode: {mode.value}."
    plan = args.plan
    if answer.edited_plan is not None and answer.edited_plan != args.plan:
        plan = answer.edited_plan
        text += f"\nThe person changed the plan. It is now:\n\n{plan}"
    if answer.note.strip():
        text += f"\nThe person adds: {answer.note.strip()}"
    return ToolResult(
        text=text,
        blocks=(TextBlock(text=plan, markdown=True),),
        summary=f"approved · {mode.value}",
        follow=(ModeChanged(mode=mode, previous=PermissionMode.PLAN, by="plan_approval"),),
    )


TOOL = Tool(
    name="exit_plan_mode",
    aliases=("exitPlanMode", "ExitPlanMode"),
    description=(
        "Present the finished plan to the person. When it is approved the mode changes and you can carry it out; "
        "otherwise you get their words and stay in plan mode."
    ),
    guidance="Present a plan only when it is complete: what will change, in which files, and how it will be checked.",
    args=ExitPlanMode,
    spellings=spellings_for(ExitPlanMode),
    category=Category.READ,
    modes=frozenset({PermissionMode.PLAN}),
    needs=(Person,),
    asks_person=True,
    card=_card,
    run=_run,
)
