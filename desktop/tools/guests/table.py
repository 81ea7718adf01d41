"""The calls of guests as tools, in place of the program's own in their chats: the gate judges them as all others, and
what runs is the guest itself, which waits for the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field, JsonValue

from desktop.domain.core.content import Block, Card, CodeBlock, DiffBlock, TextBlock
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.policy.lazy import assess_shell
from desktop.services.files.line_diff import line_diff
from desktop.services.gate.shell_world import LaneWorld
from desktop.tools.arguments import ArgumentsError
from desktop.tools.builtin.exit_plan_mode import MAX_PLAN, ExitPlanMode
from desktop.tools.builtin.exit_plan_mode import TOOL as EXIT_PLAN
from desktop.tools.builtin.web_fetch import TOOL as WEB_FETCH
from desktop.tools.builtin.web_fetch import WebFetch
from desktop.tools.guests.peer import GuestPeer
from desktop.tools.guests.writing import TOOL as WRITE_FILE
from desktop.tools.registry import Registry
from desktop.tools.text import command_title, title_line
from desktop.tools.tool import Evidence, PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

SAYS_NOTHING = "The agent does not say what it will do."
"""Why a call asks in every mode that cannot be read (guests-A18)."""
MODES_ARE_YOURS = "The mode of this chat is chosen by the person, in Banksman."
MOST_SHOWN, MOST_NAMED = 20_000, 20
NOT_ONCE = "The agent offers no answer that allows this once."
_BECAME_TOLD: Mapping[str, str] = {
    "create": "New files: {}",
    "modify": "Changed files: {}",
    "delete": "Files that are gone: {}",
    "more": "Further files: {}",
}
_TITLE = Field(default="", description="What the guest calls it.")
_EVERY_MODE = frozenset(PermissionMode)


class GuestCommand(ToolArgs):
    """A command that the guest runs."""

    command: str = Field(min_length=1, description="What runs, as the guest gives it.")
    cwd: str | None = Field(default=None, description="The folder it runs in; the root of the lane.")
    description: str = Field(default="", description="What the guest says it does.")


class ShownChange(ToolArgs):
    """A change of a file as the guest shows it."""

    path: str = Field(description="The file.")
    old: str | None = Field(default=None, description="What stands there; none for a new file.")
    new: str = Field(description="What will stand there.")


class NamedPath(ToolArgs):
    """A path that a call names."""

    path: str = Field(description="The path.")
    op: Literal["read", "write", "delete", "list"] = Field(description="What is done with it.")


class GuestEdits(ToolArgs):
    """Changes of files that the guest makes."""

    title: str = _TITLE
    changes: list[ShownChange] = Field(default=[], description="The changes that it shows.")
    paths: list[NamedPath] = Field(description="Every file that it names.")


class GuestRead(ToolArgs):
    """Files that the guest reads or searches."""

    title: str = _TITLE
    paths: list[str] = Field(default=[], description="What it reads; the lane when it names nothing.")


class GuestTitled(ToolArgs):
    """A call of which nothing but its title matters."""

    title: str = _TITLE


class GuestPlan(ToolArgs):
    """The plan of a guest that wants to leave its plan mode."""

    title: str = _TITLE
    plan: str = Field(default="", description="The plan, as far as it says one.")


class GuestOther(ToolArgs):
    """A call of a kind that is not known here."""

    title: str = _TITLE
    input: JsonValue = Field(default=None, description="Its input as it came.")
    readable: bool = Field(default=True, description="Whether it says what it will do.")
    once: bool = Field(default=True, description="Whether it can be allowed for this once.")


class UnreportedFile(ToolArgs):
    """A file that is not as it was, though no call says so."""

    path: str = Field(description="The file.")
    kind: Literal["create", "modify", "delete"] = Field(description="What became of it.")


class UnreportedChange(ToolArgs):
    """What was found changed in the lane."""

    files: list[UnreportedFile] = Field(description="The files.")
    more: int = Field(default=0, description="So many more.")


async def _run(args: ToolArgs, ctx: ToolContext) -> ToolResult:
    return await ctx.offer(GuestPeer).carried_out(ctx)


async def _happened(args: ToolArgs, ctx: ToolContext) -> ToolResult:
    raise ToolError("This is the record of something that happened. It cannot be run.")


def _command_card(args: GuestCommand) -> Card:
    where = (TextBlock(text=f"in {args.cwd}"),) if args.cwd else ()
    return Card(title=command_title(args.command), blocks=(CodeBlock(language="bash", text=args.command), *where))


def _command(args: GuestCommand, ctx: ToolContext) -> Evidence:
    world = LaneWorld(ctx.files, git_sha256=ctx.git_sha256)
    cwd = ctx.files.resolve(args.cwd or ".", "list").rel or "."
    verdict = assess_shell(args.command, world, cwd=cwd)
    proven = verdict.proven_read
    assessment = Assessment(
        category=Category.READ if proven else Category.BASH,
        proven_read=proven,
        reason="" if proven else verdict.reason,
        code=verdict.code,
        fragment="" if proven else verdict.fragment,
    )
    return Evidence(assessment=assessment, command=verdict)


def _edits_card(args: GuestEdits) -> Card:
    blocks: list[Block] = []
    for change in args.changes:
        diff = line_diff(change.old or "", change.new)
        shown = DiffBlock(path=change.path, unified=diff.unified, added=diff.added, removed=diff.removed)
        blocks.append(TextBlock(text=f"{change.path}: too long to show here.") if diff.too_large else shown)
    drawn = {change.path for change in args.changes}
    blocks += [TextBlock(text=f"{one.op} {one.path}") for one in args.paths if one.path not in drawn]
    names = ", ".join(dict.fromkeys(one.path.rpartition("/")[2] for one in args.paths))
    return Card(title=title_line(f"Edit {names}"), blocks=tuple(blocks))


async def _fetch(args: WebFetch, ctx: ToolContext) -> ToolResult:
    if ctx.offer(GuestPeer).does(ctx.call_id):
        return await ctx.offer(GuestPeer).carried_out(ctx)
    return await WEB_FETCH.run(args, ctx)


def _unreported_card(args: UnreportedChange) -> Card:
    count = len(args.files) + args.more
    what = args.files[0].path if count == 1 else f"{count:,} files"
    by_kind = {kind: [one.path for one in args.files if one.kind == kind] for kind in ("create", "modify", "delete")}
    lines = [_BECAME_TOLD[kind].format(_listed(paths)) for kind, paths in by_kind.items() if paths]
    lines += [_BECAME_TOLD["more"].format(f"{args.more:,}")] if args.more else []
    return Card(
        title=title_line(f"Changed without a reported call: {what}"), blocks=(TextBlock(text="\n".join(lines)),)
    )


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(paths[:MOST_NAMED])}{more}"


def _plan_card(args: GuestPlan) -> Card:
    return Card(title="Present the plan", blocks=(TextBlock(text=args.plan, markdown=True),))


def _leaves_plan(args: GuestPlan, ctx: ToolContext) -> Evidence:
    """A guest leaves its own plan mode only where the chat does, and a person reads the plan first (guests-A29)."""
    if ctx.session.mode is not PermissionMode.PLAN or not args.plan.strip():
        raise ArgumentsError(MODES_ARE_YOURS)
    return Evidence()


async def _present_plan(args: GuestPlan, ctx: ToolContext) -> ToolResult:
    result = await EXIT_PLAN.run(ExitPlanMode(plan=args.plan[:MAX_PLAN]), ctx)
    if not result.is_error:
        ctx.offer(GuestPeer).allowed(ctx.call_id)
    return result


def _other_card(args: GuestOther) -> Card:
    text = json.dumps(args.input, indent=2, ensure_ascii=False)
    shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}\n[{len(text) - MOST_SHOWN:,} more characters]"
    title = title_line(args.title) or "A call of the agent"
    return Card(title=title, blocks=(CodeBlock(language="json", text=shown),))


def _other(args: GuestOther, ctx: ToolContext) -> Evidence:
    if not args.once:
        raise ArgumentsError(NOT_ONCE)
    silent = not args.readable
    return Evidence(
        assessment=Assessment(category=Category.BASH, needs_consent=silent, reason=SAYS_NOTHING if silent else "")
    )


COMMAND = Tool(
    name="bash",
    description="Run a command, which the guest does itself once it may.",
    args=GuestCommand,
    category=Category.BASH,
    needs=(GuestPeer,),
    paths=lambda args: (PathUse(args.cwd or ".", "list"),),
    card=_command_card,
    assess=_command,
    run=_run,
    grants=frozenset({"once", "session", "project"}),
    modes=_EVERY_MODE,
)
EDIT = Tool(
    name="edit_file",
    description="Change files, which the guest does itself once it may, or has done by Banksman.",
    args=GuestEdits,
    category=Category.WRITE,
    needs=(GuestPeer,),
    paths=lambda args: tuple(PathUse(one.path, one.op) for one in args.paths),
    card=_edits_card,
    run=_run,
)
READ = Tool(
    name="read_file",
    description="Read or search files, which the guest does itself.",
    args=GuestRead,
    category=Category.READ,
    needs=(GuestPeer,),
    paths=lambda args: tuple(PathUse(path, "read") for path in args.paths),
    card=lambda args: Card(title=title_line(args.title or f"Read {', '.join(args.paths)}")),
    run=_run,
)
FETCH = replace(WEB_FETCH, needs=(GuestPeer, *WEB_FETCH.needs), run=_fetch)
"""A page, which the guest fetches itself, or has fetched over the bridge: the same host is asked for."""
THINK = Tool(
    name="think",
    description="A thought of the guest that has no effect.",
    args=GuestTitled,
    category=Category.READ,
    needs=(GuestPeer,),
    card=lambda args: Card(title=title_line(args.title) or "Think"),
    run=_run,
)
SWITCH_MODE = Tool(
    name="switch_mode",
    description="Another mode, which is the person's to choose, who reads the guest's plan first.",
    args=GuestPlan,
    category=Category.READ,
    modes=_EVERY_MODE,
    needs=(GuestPeer,),
    asks_person=True,
    card=_plan_card,
    assess=_leaves_plan,
    run=_present_plan,
)
QUESTION = Tool(
    name="guest_question",
    description="Something that the guest asks the person.",
    args=GuestTitled,
    category=Category.READ,
    modes=_EVERY_MODE,
    needs=(GuestPeer,),
    asks_person=True,
    card=lambda args: Card(title=title_line(args.title) or "A question"),
    run=_run,
)
OTHER = Tool(
    name="guest_call",
    description="A call of the guest of a kind that is not known here.",
    args=GuestOther,
    category=Category.BASH,
    needs=(GuestPeer,),
    card=_other_card,
    assess=_other,
    run=_run,
)

UNREPORTED = Tool(
    name="unreported_change",
    description="Files of the lane that changed while no call of the guest says so.",
    args=UnreportedChange,
    category=Category.WRITE,
    needs=(GuestPeer,),
    paths=lambda args: tuple(PathUse(one.path, "delete" if one.kind == "delete" else "write") for one in args.files),
    card=_unreported_card,
    run=_happened,
)
"""No guest makes such a call: it is written here once the lane was compared (guests-A40)."""


def guest_tools(program: Registry) -> Registry:
    """All of them; no model is told of any. And those of the program that are for guests too (guests-A55)."""
    own = (COMMAND, EDIT, READ, FETCH, THINK, SWITCH_MODE, QUESTION, OTHER, UNREPORTED, WRITE_FILE)
    return Registry(own).with_found(tool for tool in program.tools if tool.for_guests)
