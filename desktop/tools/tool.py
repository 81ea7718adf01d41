"""The Tool type: what a tool declares, what its handler gets, and what it returns."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import field
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from desktop.domain.children.events import ChildResultDelivered
from desktop.domain.core.base import Frozen
from desktop.domain.core.content import BlobRef, Block, Card, TouchedFile
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import ModeChanged, TitleChanged
from desktop.domain.gate.action import canonical_json
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.reports.values import CompletionReport, ReportView
from desktop.policy.call_facts import CallFacts, SecretFact, SqlFacts
from desktop.policy.mcp.facts import McpFacts
from desktop.policy.paths import PathOp
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.web import WebFacts
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.processes.session import Processes
from desktop.store.core.blobs import BlobStore

Surface = Literal["chat", "resolver"]
"""What a session is for: a chat, or a round of work on what a pull request waits for (tools 3.1)."""


class ToolArgs(BaseModel):
    """Base of a tool's arguments: frozen, strict types, unknown fields are errors (tools-T22).

    Declare other spellings of a field in `spellings`, e.g. `{"filePath": "file_path"}`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


A = TypeVar("A", bound=ToolArgs)
T = TypeVar("T")


class ToolError(BanksmanError):
    """The tool could not do it. The text goes to the model; `data` to the window. `summary`: for the collapsed row.
    `untrusted`: where text in it comes from that strangers wrote; `blocks`: what people see beside it."""

    def __init__(
        self,
        text: str,
        *,
        summary: str = "",
        data: dict[str, JsonValue] | None = None,
        untrusted: tuple[str, ...] = (),
        blocks: tuple[Block, ...] = (),
    ) -> None:
        super().__init__(text)
        self.summary = summary
        self.data = data or {}
        self.untrusted = untrusted
        self.blocks = blocks


class ToolResult(Frozen):
    """The result of a call. `text` is what the model gets, already cut (tools-T30); `blocks` are what people see.

    `images`: content blocks for the model that follow the text. `full`: the whole text when `text` was cut. `summary`:
    at most 120 characters for the collapsed row. `data`: at most 8 KiB JSON for the window. `follow`: state changes
    that the ToolCaller records together with the result. `stops_turn`: a person wants the turn to end with it.
    `untrusted`: where text in it comes from that strangers wrote.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    is_error: bool = False
    images: tuple[dict[str, JsonValue], ...] = ()
    full: BlobRef | None = None
    summary: str = ""
    touched: tuple[TouchedFile, ...] = ()
    data: dict[str, JsonValue] = Field(default_factory=dict)
    follow: tuple[TodosChanged | TitleChanged | ModeChanged | ChildResultDelivered | SessionTainted, ...] = ()
    stops_turn: bool = False
    untrusted: tuple[str, ...] = ()


@dataclass(frozen=True)
class PathUse:
    """A path that a call names, and what it would do with it. The gate judges it before the handler runs."""

    path: str
    op: PathOp


class Evidence(Frozen):
    """The facts that a tool states about one call. It permits nothing: the gate decides on it.

    `command`, `sql`: the judgement of what it would run. `network`: the tool reaches the network by itself, whatever
    the sandbox. `asks_for`: more than the lane's own sandbox, which only a person can give. `publishes`: what the lane
    or the model holds goes to others, at `target`: one line each for what it goes to, shown on the card and bound to
    what a person allows. `secrets`: what it would be given of those that people entrusted to agents. `begins_agent`: it
    begins a sub-agent. `web`: the address of the web that it would ask for.
    `mcp`: of a call to a server, which tool of which.
    """

    assessment: Assessment = Assessment()
    command: ShellVerdict | None = None
    sql: SqlFacts | None = None
    network: bool = False
    asks_for: Literal["nothing", "hosts", "network", "outside"] = "nothing"
    hosts: tuple[str, ...] = ()
    publishes: bool = False
    target: str = ""
    secrets: tuple[SecretFact, ...] = ()
    begins_agent: bool = False
    web: WebFacts | None = None
    mcp: McpFacts | None = None


@dataclass
class ReadRecords:
    """The files that this session has read: real lane-relative path → SHA-256 of the whole file then. Not kept over a
    restart: a file must then be read again before it is replaced. `asked_at`: when it asked a person (tools-T96)."""

    sha256: dict[str, str] = field(default_factory=dict)
    asked_at: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class SessionFacts:
    """The facts that a handler may know of its session, as it was when the call began."""

    mode: PermissionMode
    previous_mode: PermissionMode | None
    title: str
    titled_by_person: bool
    todos: tuple[Todo, ...]


class RebasedLane(Frozen):
    """The result of a rebase for one lane: succeeded, skipped, conflict (nothing was changed) or blocked. `text`: why,
    or where it stands now."""

    name: str
    state: str
    conflicts: tuple[str, ...] = ()
    text: str = ""


class Rebase(Protocol):
    """Rebases the chat's lane."""

    def __call__(self, onto: str, with_children: bool, /) -> Awaitable[tuple[RebasedLane, ...]]:
        """Onto a branch or commit ("": its base), with the lanes that stack on it or without."""


class WantedLane(Frozen):
    """A lane as an agent asks for it. `parent`: id or name of a lane; `base`: see the tool."""

    name: str
    description: str = ""
    parent: str = ""
    base: str = ""
    allow_behind: bool = False


class Reported(Frozen):
    """A report that is on record, with what was found of its claims. `stopped`: a person declined a command and wants
    the turn to end."""

    view: ReportView
    stopped: bool = False


class Report(Protocol):
    """Records what agents report."""

    def __call__(self, call_id: str, report: CompletionReport, /) -> Awaitable[Reported]:
        """Put the report of a call on record; commands of its claims that nothing proves yet run through the gate
        first."""


class NewLane(Frozen):
    """A lane that was just made: its branch, and the name and commit that it begins at. `notices`: sentences."""

    lane_id: str
    name: str
    branch: str
    base: str
    base_oid: str
    notices: tuple[str, ...] = ()


class MakeLane(Protocol):
    """Makes lanes of the chat's repository."""

    def __call__(self, wanted: WantedLane, /) -> Awaitable[NewLane]:
        """The lane. Raises BanksmanError with what failed; nothing of the lane is left then."""


class Finds(Protocol):
    """Finds what a chat has."""

    def __call__(self, kind: type[object], /) -> object | None:
        """What it has of this kind, None for nothing. Asks nobody."""


def finds_nothing(kind: type[object]) -> object | None:
    """For chats that have nothing beside their files and commands."""
    return None


@dataclass(frozen=True)
class ToolContext:
    """The context of a call: all that a tool's handler works with. `ask` waits for a person; it raises nothing but
    CancelledError.

    `files` are the lane's; `processes` run and keep this session's commands; `progress` shows output while a call runs.
    `can_ask`: somebody can answer. `blob_ids`: SHA-256 of every blob this session's log refers to. `call`: this call as
    the gate saw it, None while it is being judged. `approved_effect`: the preview that a person saw when they allowed
    this call. `git_sha256`: Git's settings as the chat found them. `finds` what themes offer: see `offer`.
    `approved`: a person looked at this very call and allowed it.
    """

    session_id: str
    call_id: str
    lane_name: str
    files: LaneFiles
    processes: Processes
    blobs: BlobStore
    reads: ReadRecords
    session: SessionFacts
    ask: Callable[[InputRequest], Awaitable[Answer]]
    progress: Callable[[str, int], None]
    can_ask: bool
    blob_ids: frozenset[str]
    call: CallFacts | None = None
    git_sha256: str | None = None
    approved_effect: EffectPreview | None = None
    lane_id: str = ""
    finds: Finds = finds_nothing
    approved: bool = False

    def offer(self, kind: type[T]) -> T:
        """The offer of this kind that the chat has; a tool that asks for it names the kind in its `needs`.

        Raises:
            ToolError: it has nothing any more.
        """
        found = self.found(kind)
        if found is None:
            raise ToolError("This is not available in this chat.", summary="not available")
        return found

    def found(self, kind: type[T]) -> T | None:
        """The offer of this kind that the chat has, None for none."""
        return cast("T | None", self.finds(kind))


def no_paths(args: Any) -> tuple[PathUse, ...]:
    """For tools that name no path."""
    return ()


def no_evidence(args: Any, ctx: ToolContext) -> Evidence:
    """For tools whose calls are all of the tool's own category."""
    return Evidence()


async def no_preview(args: Any, ctx: ToolContext, on_click: bool) -> EffectPreview | None:
    """For tools whose effect cannot be found out beforehand."""
    return None


@dataclass(frozen=True)
class Tool(Generic[A]):
    """One tool. Schema, offering, category, card, guidance and snapshot all follow from this value (tools-T1).

    `needs`: protocols of what a chat must have for the tool to be offered; a refusal names the first that it lacks.
    Each is offered by some theme, or nothing starts. `editable`: the arguments that a person may change before allowing
    a call. `foresee` finds out, before a call is judged, what `assess` cannot at once. `assess` raises ArgumentsError
    for a call that nobody is asked about because it cannot run. `preview` finds out the effect of a call without having
    it, for its card: `on_click` once a person asked for that. `varies`: a sentence for people about which calls the
    gate treats otherwise than the ordinary one. `told_schema`: the schema that a model is told, {} for that of `args`.
    `withdrawn`: no model is told of it any more, and the gate says why to one that still calls it. `touches_lane`: it
    can change the lane, or depends on what stands there. `for_guests`: agents of others are offered it too, since they
    lack it or only this program can do it (guests-A55).
    """

    name: str
    description: str
    args: type[A]
    category: Category
    run: Callable[[A, ToolContext], Awaitable[ToolResult]]
    card: Callable[[A], Card]
    foresee: Callable[[A, ToolContext], Awaitable[None]] | None = None
    assess: Callable[[A, ToolContext], Evidence] = no_evidence
    paths: Callable[[A], tuple[PathUse, ...]] = no_paths
    aliases: tuple[str, ...] = ()
    spellings: dict[str, str] = field(default_factory=dict)
    tier: Literal["universal", "workflow", "coordinator"] = "universal"
    guidance: str = ""
    modes: frozenset[PermissionMode] | None = None
    needs: tuple[type[object], ...] = ()
    surfaces: frozenset[Surface] = frozenset({"chat", "resolver"})
    parallel: bool | None = None
    ends_turn: bool = False
    asks_person: bool = False
    grants: frozenset[Literal["once", "session", "project"]] = frozenset({"once"})
    editable: tuple[str, ...] = ()
    preview: Callable[[A, ToolContext, bool], Awaitable[EffectPreview | None]] = no_preview
    varies: str = ""
    told_schema: dict[str, Any] = field(default_factory=dict)
    withdrawn: bool = False
    touches_lane: bool = True
    for_guests: bool = False

    @property
    def offered_modes(self) -> frozenset[PermissionMode]:
        """The modes in which the tool is offered: all for a read, else edit and full-auto, unless it says otherwise."""
        if self.modes is not None:
            return self.modes
        if self.category is Category.READ:
            return frozenset(PermissionMode)
        return frozenset({PermissionMode.EDIT, PermissionMode.FULL_AUTO})

    @property
    def runs_parallel(self) -> bool:
        """Whether neighbouring calls may run together; by default every read does."""
        return self.category is Category.READ and not self.asks_person if self.parallel is None else self.parallel

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, as the model sees it. Made once, at the first use; do not change it."""
        if self.told_schema:
            return self.told_schema
        schema = self.args.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        return schema

    @cached_property
    def sha256(self) -> str:
        """Hex SHA-256 of what the model is told of its arguments and what it does. Made once, as the schema is: a tool
        that is told otherwise is another `Tool`."""
        told = canonical_json({"schema": self.schema, "description": self.description})
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
