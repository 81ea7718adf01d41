"""bash: run a command in the lane."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator, model_validator

from desktop.domain.core.content import Card, CodeBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.credentials.values import MOST_USES
from desktop.policy.call_facts import SecretFact
from desktop.policy.lazy import assess_shell
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed
from desktop.services.gate.shell_world import LaneWorld
from desktop.services.processes.around import IN_LANE, Place, ProcessError
from desktop.services.processes.given_secrets import NO_SECRETS, GivenSecrets
from desktop.tools.arguments import ArgumentsError, spellings_for
from desktop.tools.calls.credentials import SecretUse, chat_credentials
from desktop.tools.command_results import command_result
from desktop.tools.offers import Shell, WorkingLane
from desktop.tools.text import command_title
from desktop.tools.tool import Evidence, PathUse, Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_COMMAND = 16_384
MAX_TIMEOUT_MS = 600_000
MAX_HOSTS = 12
BACKGROUND_WAIT_S = 1.0

CAN_SEND = (
    "It can send out all that it can read: this lane and the rest of the disk, except /tmp, /run and home folders "
    "(tools there it can read). Without a sandbox it can read what you can."
)


class Bash(ToolArgs):
    """The arguments of `bash`: what runs, where, for how long, and which reach beyond the sandbox it asks for."""

    command: str = Field(min_length=1, max_length=MAX_COMMAND, description="What bash runs, exactly as given.")
    timeout_ms: int = Field(
        default=120_000, ge=1_000, description="Time limit in milliseconds; 600000 is the longest and is not exceeded."
    )
    cwd: str | None = Field(
        default=None, min_length=1, max_length=4096, description="Folder inside the lane to run in; the lane root."
    )
    description: str | None = Field(default=None, max_length=200, description="What the command does, in a few words.")
    run_in_background: bool = Field(default=False, description="Return at once and let it go on, for servers and such.")
    network: bool = Field(default=False, description="Let it reach the network. A person is asked first.")
    hosts: str = Field(
        default="",
        max_length=500,
        description="Hosts that this command may reach, with blanks between: pypi.org .npmjs.org example.org:8080.",
    )
    outside_sandbox: bool = Field(
        default=False, description="Run it without the sandbox. A person is asked first. Say why in description."
    )

    secrets: list[SecretUse] = Field(
        default=[], max_length=MOST_USES, description="Secrets that this command is given, each asked about."
    )

    @field_validator("secrets")
    @classmethod
    def _has_each_name_once(cls, uses: list[SecretUse]) -> list[SecretUse]:
        if len({use.name for use in uses}) < len(uses):
            raise ValueError("two secrets have the same variable")
        return uses

    @field_validator("hosts")
    @classmethod
    def _names_hosts(cls, value: str) -> str:
        words = value.replace(",", " ").split()
        found = [check_allowed(word) for word in words]
        if refused := next((one for one in found if isinstance(one, Refused)), None):
            raise ValueError(refused.reason)
        if local := next((one.text for one in found if isinstance(one, AllowedHost) and one.is_local), ""):
            raise ValueError(
                f"{local} means the sandbox itself, which needs no permission and leads to nothing outside"
            )
        if len(words) > MAX_HOSTS:
            raise ValueError(f"at most {MAX_HOSTS} hosts can be named")
        return " ".join(dict.fromkeys(one.text for one in found if isinstance(one, AllowedHost)))

    @model_validator(mode="after")
    def _asks_for_one_way(self) -> "Bash":
        if self.hosts and (self.network or self.outside_sandbox):
            raise ValueError("name hosts, or set network or outside_sandbox, not both")
        return self

    @field_validator("command")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        if "\0" in value:
            raise ValueError("must not hold a NUL character")
        return value


def _paths(args: Bash) -> tuple[PathUse, ...]:
    return (PathUse(args.cwd or ".", "list"),)


_LINES_TOLD: Mapping[str, str] = {
    "folder": "It runs in the folder {}.",
    "background": "It goes on in the background.",
    "skill": "It is given the secrets of the skill {}.",
    "variable": "It is given a secret in the variable {}.",
    "file": "It is given a secret in a file, whose path is in the variable {}.",
    "hosts": "It may reach {}.",
    "network": "It has the network.",
    "outside": "It runs outside the sandbox, with your own rights.",
}
"""What a card says of a command below it."""


def _card(args: Bash) -> Card:
    blocks: list[CodeBlock | TextBlock] = [CodeBlock(language="bash", text=args.command)]
    if args.cwd:
        blocks.append(TextBlock(text=_LINES_TOLD["folder"].format(args.cwd)))
    if args.run_in_background:
        blocks.append(TextBlock(text=_LINES_TOLD["background"]))
    for use in args.secrets:
        line = _LINES_TOLD["skill" if use.skill else "variable" if use.env else "file"]
        blocks.append(TextBlock(text=line.format(use.skill or use.name)))
    if args.hosts:
        blocks.append(TextBlock(text=_LINES_TOLD["hosts"].format(", ".join(args.hosts.split()))))
        blocks.append(TextBlock(text=CAN_SEND))
    if args.network:
        blocks.append(TextBlock(text=_LINES_TOLD["network"]))
        blocks.append(TextBlock(text=CAN_SEND))
    if args.outside_sandbox:
        blocks.append(TextBlock(text=_LINES_TOLD["outside"]))
    return Card(title=command_title(args.command), blocks=tuple(blocks))


def _assess(args: Bash, ctx: ToolContext) -> Evidence:
    world = LaneWorld(ctx.files, git_sha256=ctx.git_sha256)
    secrets = _secrets(args, ctx)
    given = tuple(secret.name for secret in secrets)
    verdict = assess_shell(args.command, world, cwd=args.cwd or ".", given=given)
    reason, fragment = verdict.reason, verdict.fragment
    wider = args.network or args.outside_sandbox or bool(args.hosts)
    proven = verdict.proven_read and not args.run_in_background and not wider and not secrets
    if verdict.proven_read and args.run_in_background:
        reason = "A command in the background goes on after the call."
    assessment = Assessment(
        category=Category.READ if proven else Category.BASH,
        proven_read=proven,
        reason="" if proven else reason,
        code=verdict.code,
        fragment="" if proven else fragment,
    )
    asks_for: Literal["nothing", "hosts", "network", "outside"] = "network" if args.network else "nothing"
    if args.hosts:
        asks_for = "hosts"
    if args.outside_sandbox:
        asks_for = "outside"
    hosts = tuple(args.hosts.split())
    return Evidence(assessment=assessment, command=verdict, asks_for=asks_for, hosts=hosts, secrets=secrets)


def _secrets(args: Bash, ctx: ToolContext) -> tuple[SecretFact, ...]:
    """The secrets that the command is given; a call that names one which it cannot have is not asked about."""
    if not args.secrets:
        return ()
    try:
        return chat_credentials(ctx).facts(args.secrets)
    except BanksmanError as error:
        raise ArgumentsError(f"Invalid arguments for bash: {error}") from error


async def _given(ctx: ToolContext) -> GivenSecrets:
    """What a person allowed the command to have of secrets."""
    secrets = ctx.call.secrets if ctx.call is not None else ()
    if not secrets:
        return NO_SECRETS
    try:
        return await chat_credentials(ctx).given(ctx.call_id, secrets)
    except BanksmanError as error:
        raise ToolError(f"Not run: {error}", summary="no secret") from error


def _place(ctx: ToolContext, secrets: GivenSecrets) -> Place:
    """Where the gate decided that this call runs."""
    if ctx.call is None:
        return IN_LANE
    return Place(
        network=ctx.call.profile == "lane-open",
        reading=ctx.call.assessment.proven_read,
        confined=ctx.call.profile != "outside",
        sandboxed=ctx.call.profile.startswith("lane-"),
        secrets=secrets,
        hosts=_hosts(ctx.call.hosts) if ctx.call.profile == "lane-hosts" else (),
    )


def _hosts(texts: tuple[str, ...]) -> tuple[AllowedHost, ...]:
    return tuple(one for one in map(check_allowed, texts) if isinstance(one, AllowedHost))


async def _run(args: Bash, ctx: ToolContext) -> ToolResult:
    facts = ctx.files.resolve(args.cwd or ".", "list")
    if facts.kind != "dir":
        raise ToolError(f"{facts.rel or facts.raw} is not a directory to run in.", summary="no such folder")
    cwd = ctx.files.root / facts.rel
    timeout_s = min(args.timeout_ms, MAX_TIMEOUT_MS) / 1000
    notes = ("[timeout_ms was set to 600000, the longest there is]",) if args.timeout_ms > MAX_TIMEOUT_MS else ()
    place = _place(ctx, await _given(ctx))
    try:
        if not args.run_in_background:
            completed = await ctx.processes.run(
                args.command,
                cwd=cwd,
                timeout_s=timeout_s,
                on_output=ctx.progress,
                place=place,
                call_id=ctx.call_id,
            )
            return command_result(completed, ctx.blobs, cwd=facts.rel, timeout_s=timeout_s, notes=notes)
        shell_id = await ctx.processes.start_background(args.command, cwd=cwd, place=place, call_id=ctx.call_id)
        ended = await ctx.processes.wait(shell_id, BACKGROUND_WAIT_S)
    except ProcessError as error:
        raise ToolError(str(error), summary="not started") from error
    if ended is not None:
        ctx.processes.mark_read(shell_id)
        return command_result(ended, ctx.blobs, cwd=facts.rel, timeout_s=timeout_s)
    return ToolResult(
        text=f"Runs in the background as {shell_id}.",
        summary=f"runs as {shell_id}",
        data={"shell_id": shell_id, "cwd": facts.rel},
    )


TOOL = Tool(
    name="bash",
    aliases=("Bash",),
    description=(
        "Run a command with bash in the lane and get its output and exit code. Standard input is closed; interactive "
        "programs do not work. With run_in_background the command goes on and its output can be read later. Commands "
        "run in a sandbox where there is one: no network, and only the lane and $TMPDIR keep what is written."
    ),
    guidance=(
        "Run one command at a time and read its exit code. A command that fails is a result, not a reason to repeat it "
        "unchanged. Do not use it to read, search or change files where a tool of its own exists. Git's own files are "
        "read-only for commands. Name the hosts that a "
        "command must reach, such as those of a package index; set network only when they cannot be known. Name a "
        "secret in secrets, never in the command."
    ),
    args=Bash,
    spellings=spellings_for(Bash),
    category=Category.BASH,
    modes=frozenset(PermissionMode),
    needs=(Shell, WorkingLane),
    paths=_paths,
    card=_card,
    assess=_assess,
    run=_run,
    grants=frozenset({"once", "session", "project"}),
    editable=("command", "timeout_ms", "hosts", "network"),
    varies="A command that is shown to only read runs unasked, in Plan too, and so does one that a rule covers, except "
    "in Plan. Destructive ones ask in every mode; catastrophic ones never run.",
)
