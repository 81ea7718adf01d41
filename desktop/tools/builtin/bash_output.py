"""bash_output: what a background command printed."""

import re

from pydantic import Field, field_validator

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.services.processes.around import ProcessError
from desktop.tools.command_results import ending_line, row_summary
from desktop.tools.offers import BackgroundShells
from desktop.tools.text import LIMIT, clip, duration_words, keep_whole, size_words, strip_escapes, title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_WAIT_MS = 30_000
_NOTE_ROOM = 400


class BashOutput(ToolArgs):
    """The arguments of `bash_output`: which background command is read, how long its output is waited for, and which
    lines of it count."""

    shell_id: str | None = Field(default=None, max_length=40, description="Which command, like sh1; the only one.")
    wait_ms: int = Field(default=0, ge=0, le=MAX_WAIT_MS, description="How long to wait for something new.")
    tail_lines: int | None = Field(
        default=None, ge=1, le=2_000, description="The last lines; without it only what is new since the last call."
    )
    filter: str | None = Field(default=None, max_length=200, description="Only lines that match this expression.")

    @field_validator("filter")
    @classmethod
    def _usable(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"is not a usable expression: {error}") from error
        return value


def _card(args: BashOutput) -> Card:
    return Card(title=title_line(f"Output of {args.shell_id or 'the background command'}"))


async def _run(args: BashOutput, ctx: ToolContext) -> ToolResult:
    try:
        shell_id = ctx.processes.only_shell() if args.shell_id is None else args.shell_id
        seen = await ctx.processes.output(shell_id, wait_s=args.wait_ms / 1000, tail_lines=args.tail_lines)
    except ProcessError as error:
        raise ToolError(str(error), summary="no such command") from error
    text = strip_escapes(seen.text)
    if args.filter:
        wanted = re.compile(args.filter)
        text = "\n".join(line for line in text.splitlines() if wanted.search(line))
    full = None
    if len(text) > LIMIT - _NOTE_ROOM:
        full, whole = keep_whole(ctx.blobs, seen.text.encode, "text/plain")
        text = clip(text, LIMIT - _NOTE_ROOM, whole=whole)
    body = text.rstrip("\n") or ("(nothing new)" if args.tail_lines is None else "(no output)")
    skipped = [f"[{size_words(seen.skipped)} before this were not read in time]"] if seen.skipped else []
    age = duration_words(seen.age_s)
    ended = seen.completed
    state = f"[running · {age}]" if ended is None else ending_line(ended, ended.duration_s)
    return ToolResult(
        text="\n".join([*skipped, body, state]),
        blocks=(CodeBlock(language="console", text=body),),
        is_error=ended is not None and not ended.ok and (ended.ending != "stopped" or bool(ended.limit)),
        full=full,
        summary=f"running · {age}" if ended is None else row_summary(ended),
        data={"shell_id": shell_id, "running": ended is None},
    )


TOOL = Tool(
    name="bash_output",
    aliases=("BashOutput", "ShellStatus"),
    description="Read what a background command printed since the last look, and whether it still runs.",
    args=BashOutput,
    category=Category.READ,
    parallel=False,
    needs=(BackgroundShells,),
    card=_card,
    run=_run,
)
