"""rebase_lane: the lane's own commits on the newest base; commands cannot, as Git's own files are closed to them."""

from pydantic import Field, field_validator

from desktop.domain.core.content import Card
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category
from desktop.services.files.names import shown_name
from desktop.tools.argument_checks import commit_name
from desktop.tools.offers import WorkingLane
from desktop.tools.text import count_words, title_line
from desktop.tools.tool import Evidence, Rebase, RebasedLane, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_FILES = 20
_GOOD = ("succeeded", "skipped")
_ADVICE = (
    "Nothing was changed there. A person can choose to resolve it here; then the files are open in the lane with both "
    "sides, and you can edit them."
)


class RebaseLane(ToolArgs):
    """The arguments of `rebase_lane`: what the lane is put on, and whether the lanes that stack on it go along."""

    onto: str = Field(default="", max_length=200, description="Branch or commit; the lane's base by default.")
    include_children: bool = Field(default=False, description="Also the lanes that stack on this one.")

    _is_a_name = field_validator("onto")(commit_name)


def _card(args: RebaseLane) -> Card:
    onto = f"onto {args.onto}" if args.onto else "onto its base"
    more = " with the lanes that stack on it" if args.include_children else ""
    return Card(title=title_line(f"Rebase this lane {onto}{more}"))


def _assess(args: RebaseLane, ctx: ToolContext) -> Evidence:
    """Other lanes than the chat's own are changed only when a person says so."""
    if not args.include_children:
        return Evidence()
    return Evidence(
        assessment=Assessment(category=Category.WRITE, needs_consent=True, reason="it also changes other lanes")
    )


async def _run(args: RebaseLane, ctx: ToolContext) -> ToolResult:
    try:
        lanes = await ctx.offer(Rebase)(args.onto, args.include_children)
    except BanksmanError as error:
        raise ToolError(str(error), summary="not rebased") from error
    bad = [lane for lane in lanes if lane.state not in _GOOD]
    lines = [_line(lane) for lane in lanes]
    if any(lane.state == "conflict" for lane in lanes):
        lines.append(_ADVICE)
    done = sum(lane.state == "succeeded" for lane in lanes)
    summary = f"{bad[0].state}" if bad else (f"{count_words(done, 'lane')} rebased" if done else "up to date")
    return ToolResult(
        text="\n".join(lines),
        is_error=bool(bad),
        summary=summary,
        data={"lanes": [{"name": lane.name, "state": lane.state} for lane in lanes]},
    )


def _line(lane: RebasedLane) -> str:
    """ "fix-login: conflict in app.py. The commit …"."""
    files = ", ".join(shown_name(path) for path in lane.conflicts[:MAX_FILES])
    more = f" and {len(lane.conflicts) - MAX_FILES} more" if len(lane.conflicts) > MAX_FILES else ""
    said = f" {lane.text}" if lane.text else ""
    return f"{lane.name}: {lane.state}{f' in {files}{more}' if files else ''}.{said}"


TOOL = Tool(
    name="rebase_lane",
    aliases=("rebaseLane",),
    description=(
        "Put the lane's own commits on top of the newest commit of its base. Everything must be committed. Where a "
        "commit does not fit, nothing is changed and the files in conflict are named."
    ),
    guidance="Commands cannot rebase: use rebase_lane, after everything is committed or put aside with lane_stash.",
    args=RebaseLane,
    category=Category.WRITE,
    tier="workflow",
    needs=(WorkingLane, Rebase),
    grants=frozenset({"once"}),
    assess=_assess,
    card=_card,
    run=_run,
    for_guests=True,
    varies="Together with the lanes that stack on it, it asks in every mode.",
)
