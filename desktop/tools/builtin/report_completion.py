"""report_completion: say how far the work came, with claims that Banksman checks by itself."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from desktop.domain.core.content import Card, CodeBlock, TableBlock, TextBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.reports.values import (
    STATUS_WORDS,
    VERDICT_WORDS,
    Artifact,
    Claim,
    ClaimKind,
    ClaimView,
    CompletionReport,
    ReportStatus,
    ReportView,
)
from desktop.tools.argument_checks import not_blank
from desktop.tools.offers import WorkingLane
from desktop.tools.text import duration_words, one_line
from desktop.tools.tool import Report, Tool, ToolArgs, ToolContext, ToolResult

_NEEDED: dict[ClaimKind, str] = {"command": "command", "file": "path", "proof": "proof_id", "pr": "pr"}


class ClaimArgs(BaseModel):
    """One claim. How a command ended is not asked of the model: fields for it do not exist."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str = Field(min_length=1, max_length=300, description="What you claim, in a few words.")
    kind: Literal["command", "file", "proof", "pr", "statement"] = Field(
        description="What shows it: a command that ends as expected, a file, a proof, a pull request, or nothing."
    )
    command: str | None = Field(
        default=None, min_length=1, max_length=2_000, description="The very command, as it was or is to be run."
    )
    cwd: str | None = Field(default=None, min_length=1, max_length=4096, description="Its folder inside the lane.")
    expected_exit: int = Field(default=0, ge=0, le=255, description="The exit code that shows it.")
    path: str | None = Field(default=None, min_length=1, max_length=4096, description="A file of the lane.")
    proof_id: str | None = Field(default=None, min_length=1, max_length=100, description="A proof.")
    pr: int | str | None = Field(default=None, description="A pull request: its number or address.")
    run: bool = Field(default=True, description="Let the command run if nothing shows it yet.")

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        needed = _NEEDED.get(self.kind)
        value = {"command": self.command, "path": self.path, "proof_id": self.proof_id, "pr": self.pr}.get(needed or "")
        if needed is not None and (value is None or not str(value).strip()):
            raise ValueError(f"a claim of kind {self.kind} needs {needed}")
        if "\0" in (self.command or ""):
            raise ValueError("command must not hold a NUL character")
        return self


class ArtifactArgs(BaseModel):
    """Something that was made."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    reference: str = Field(min_length=1, max_length=2_000, description="Its path in the lane, its address or its id.")
    title: str | None = Field(default=None, max_length=200, description="What it is.")


class ReportCompletion(ToolArgs):
    """The arguments of `report_completion`: how the task ended, in words and as claims that can be checked, and what
    stands in the way."""

    summary: str = Field(min_length=1, max_length=4_000, description="What was done and what was not.")
    status: ReportStatus = Field(description="completed, partial, or blocked with a blocker.")
    claims: list[ClaimArgs] = Field(default=[], max_length=30, description="What you claim; each is checked.")
    artifacts: list[ArtifactArgs] = Field(default=[], max_length=50, description="What you made.")
    blocker: str | None = Field(default=None, max_length=1_000, description="What is in the way, when blocked.")

    _says_something = field_validator("summary")(not_blank)

    @model_validator(mode="after")
    def _names_the_blocker(self) -> Self:
        if self.status == "blocked" and not (self.blocker or "").strip():
            raise ValueError("blocked needs blocker: say what is in the way")
        return self


def _card(args: ReportCompletion) -> Card:
    commands = [claim for claim in args.claims if claim.kind == "command" and claim.command]
    blocks: list[TextBlock | CodeBlock] = [TextBlock(text=args.summary)]
    for claim in commands:
        place = f" · in {claim.cwd}" if claim.cwd else ""
        note = "runs, if nothing shows it yet" if claim.run else "is not run"
        blocks.append(TextBlock(text=f"{claim.text} · {note}{place}"))
        blocks.append(CodeBlock(language="bash", text=claim.command or ""))
    return Card(title=f"Report: {STATUS_WORDS[args.status].lower()}", blocks=tuple(blocks))


async def _run(args: ReportCompletion, ctx: ToolContext) -> ToolResult:
    reported = await ctx.offer(Report)(ctx.call_id, _report(args))
    view = reported.view
    lines = [f"Report recorded. {view.title}.{f' {view.count}.' if view.count else ''}"]
    lines += [f"{place}. {_line(claim)}" for place, claim in enumerate(view.claims, start=1)]
    missing = [one.reference for one in view.artifacts if one.found == "missing"]
    lines += [f"Not found: {', '.join(missing)}."] if missing else []
    lines += [f"{view.open_todos} open todos."] if view.open_todos else []
    return ToolResult(
        text="\n".join(lines),
        blocks=(_table(view),) if view.claims else (),
        summary=one_line(view.count or view.title)[:120],
        data={"title": view.title, "proved": view.proved, "claims": len(view.checkable)},
        stops_turn=reported.stopped,
    )


def _report(args: ReportCompletion) -> CompletionReport:
    """The report as it was made."""
    return CompletionReport(
        summary=args.summary.strip(),
        status=args.status,
        claims=tuple(
            Claim(
                text=one.text,
                kind=one.kind,
                command=one.command or "",
                cwd=one.cwd or ".",
                expected_exit=one.expected_exit,
                path=one.path or "",
                proof_id=one.proof_id or "",
                pr=str(one.pr or "")[:300],
                run=one.run,
            )
            for one in args.claims
        ),
        artifacts=tuple(Artifact(reference=one.reference, title=one.title or "") for one in args.artifacts),
        blocker=(args.blocker or "").strip(),
    )


def _line(claim: ClaimView) -> str:
    """A claim and what was found of it, for the model."""
    how = (
        f"exit code {claim.exit_code} · {duration_words(claim.duration_ms / 1000)}"
        if claim.exit_code is not None
        else ""
    )
    told = "; ".join(part for part in (how, claim.reason, claim.warning) if part)
    return f"{one_line(claim.text)}: {VERDICT_WORDS[claim.verdict]}{f' ({told})' if told else ''}"


def _table(view: ReportView) -> TableBlock:
    rows = tuple(
        (claim.text, VERDICT_WORDS[claim.verdict], claim.subject, claim.warning or claim.reason)
        for claim in view.claims
    )
    return TableBlock(columns=("Claim", "Verdict", "Shown by", "Why"), rows=rows)


TOOL = Tool(
    name="report_completion",
    aliases=("reportCompletion",),
    description=(
        "Report that the task is completed, partial or blocked, with claims. Banksman checks each claim against what "
        "it ran and recorded itself: a command counts as proved when it ended as expected on the files as they are "
        "now. Commands that nothing proves yet run first, through the same approval as any command."
    ),
    guidance=(
        "Call it once when the work is done or cannot go on, after the last change. Claim what you checked, with the "
        "very command that shows it; do not claim what you did not see. A claim that is stale or failed is to be "
        "mended or reported as partial, not repeated. The last report counts."
    ),
    args=ReportCompletion,
    category=Category.READ,
    tier="workflow",
    parallel=False,
    modes=frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO}),
    needs=(WorkingLane, Report),
    card=_card,
    run=_run,
    for_guests=True,
    varies="Commands that its claims name are judged as commands of the agent.",
)
