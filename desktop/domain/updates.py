"""Updates: everything the engine tells the window. Envelopes are facts; the rest is passing state, never stored."""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar, Literal

from pydantic import JsonValue

from desktop.config.found import FoundService
from desktop.config.settings import Settings
from desktop.domain.core.base import Frozen
from desktop.domain.core.service_kinds import FoundAddress, ServiceKind
from desktop.domain.core.update import Answer, Outcome, Stand, Update
from desktop.domain.core.work import Activity, Project, SessionSummary, ShellInfo
from desktop.domain.events import Envelope
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.gate.rules import AskedLately, RuleFile, Simulation
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.gate.tool_table import ToolRow
from desktop.domain.history.state import SessionState


class EngineReady(Update):
    """The engine has started, where it writes, and which kinds of model services there are. What the sandbox stops
    follows as SandboxReported."""

    stands: ClassVar[Stand | None] = Stand.ENGINE
    settings: Settings
    store_folder: str = ""
    log_folder: str = ""
    service_kinds: tuple[ServiceKind, ...] = ()


class EngineStopped(Update):
    """The engine thread ended with an error; nothing can be answered any more."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    reason: str


class ProjectOpened(Update):
    """A repository is open. `problem`: why no chat can start in it ("" if one can). `sample`: it is the tour's."""

    stands: ClassVar[Stand | None] = Stand.PROJECT
    project: Project
    problem: str = ""
    sample: bool = False


class SessionsChanged(Update):
    """All chats of the open project, newest activity first. Replaces the former list."""

    stands: ClassVar[Stand | None] = Stand.LISTS
    sessions: tuple[SessionSummary, ...]


class SessionOpened(Answer):
    """The events of one chat, in order. `first` False: older events that precede those already sent.

    Live envelopes with a higher seq follow by themselves; `complete` says that nothing older is left; `command_id` is
    that of the OpenSession. `state`: what all events come to by now, those included that are still to be sent; None: it
    was sent with another part, or these are all.
    """

    session_id: str
    envelopes: tuple[Envelope, ...]
    first: bool = True
    complete: bool = True
    command_id: str = ""
    state: SessionState | None = None

    @property
    def is_long(self) -> bool:
        """Older events come many at once, and many parts of a window take them."""
        return not self.first

    @property
    def is_ahead(self) -> bool:
        """Whether these are the newest events of a log that the engine is still reading."""
        return self.first and not self.complete and self.state is None


class TextDelta(Update):
    """New text of the message that is being written, at most every 50 ms. `revision` grows by one per delta."""

    session_id: str
    message_id: str
    part_index: int
    revision: int
    text: str


class ThinkingDelta(Update):
    """New thinking text, as TextDelta."""

    session_id: str
    message_id: str
    part_index: int
    revision: int
    text: str


class ToolInputDelta(Update):
    """The model is writing a call. `tail`: the last 400 characters, for display only."""

    session_id: str
    message_id: str
    part_index: int
    tool: str
    chars: int
    tail: str


class StreamDiscarded(Update):
    """The text that was streamed for this message does not count: another attempt follows, or the turn ended."""

    session_id: str
    message_id: str
    reason: str = ""


class ToolProgress(Update):
    """Output of a running call, at most four times a second. `tail`: the last 4,000 characters."""

    session_id: str
    call_id: str
    tail: str
    output_bytes: int
    elapsed_ms: int


class RetryScheduled(Update):
    """A model request failed and will be tried again at `retry_at`."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    session_id: str
    reason: str
    attempt: int
    max_attempts: int
    retry_at: datetime

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest planned retry of each chat."""
        return ((self.session_id, self),)


class ActivityChanged(Update):
    """The activity of a session now, in words (`detail`), and since when."""

    session_id: str
    activity: Activity
    detail: str = ""
    since: datetime


class ShellsChanged(Update):
    """The background commands of one session, running ones first."""

    session_id: str
    shells: tuple[ShellInfo, ...]


class BlobLoaded(Update):
    """Stored bytes as text (undecodable bytes replaced)."""

    session_id: str
    sha256: str
    text: str


class TextSaved(Answer):
    """The file was written."""

    session_id: str
    path: str


class SettingsChanged(Update):
    """The settings in force."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM
    settings: Settings


KeyPlace = Literal["none", "keyring", "memory", "environment"]


class KeyState(Frozen):
    """Whether an endpoint has a key, and where. `tail`: its last four characters at most. `variable`: of the
    environment, that holds it."""

    endpoint_id: str
    place: KeyPlace
    tail: str = ""
    variable: str = ""


class KeysChanged(Update):
    """The keys of all endpoints. `keyring_problem`: why keys last only until the app closes, "" if they are kept.
    `found`: services that the environment names; `found_problems`: why others that it names are not used."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM
    keys: tuple[KeyState, ...]
    keyring_problem: str = ""
    found: tuple[FoundService, ...] = ()
    found_problems: tuple[str, ...] = ()


class ModelInfo(Frozen):
    """One model of an endpoint. `window` and `max_output` in tokens; 0: unknown. Prices in millionths of a US dollar
    for a million tokens; None: unknown."""

    id: str
    name: str
    window: int = 0
    max_output: int = 0
    input_microusd: int | None = None
    output_microusd: int | None = None


class TriedPart(Frozen):
    """One thing that a model was asked for: whether it did it, how long that took, and what the service said."""

    part: Literal["text", "tool", "picture"]
    ok: bool
    ms: int
    said: str = ""


class EndpointChecked(Outcome):
    """The result of trying an endpoint: a sentence, how long the list took, and its models when it answered, which
    every window offers. `tried`: what its model was asked for, () where it was not."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    command_id: str
    endpoint_id: str
    ok: bool
    text: str
    models: tuple[ModelInfo, ...] = ()
    ms: int = 0
    tried: tuple[TriedPart, ...] = ()

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The models that the service offers; that it once did not answer does not stand."""
        return ((self.endpoint_id, self),) if self.ok else ()


class AddressesFound(Answer):
    """The addresses of model services that other programs use, in the order of the programs; each once."""

    addresses: tuple[FoundAddress, ...]


class DatabaseTested(Answer):
    """The result of trying a database: the server's version and what the session may do, or the exact fault.

    `writes`: it can be changed through it.
    """

    name: str
    ok: bool
    text: str
    writes: bool = False


class DatabaseKeysChanged(Update):
    """The connections whose password is kept, by name. `keyring_problem` as in KeysChanged."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM
    names: tuple[str, ...]
    keyring_problem: str = ""


class RulePreviewed(Update):
    """The effect that rules of these tokens would have had on past calls. `problem`: why they may not be saved, "" if
    they may.

    `allows`, `not_allows`: what they cover in words.
    """

    session_id: str
    input_id: str
    tokens: tuple[tuple[str, ...], ...]
    problem: str = ""
    allows: str = ""
    not_allows: str = ""
    simulation: Simulation = Simulation()


class EditChecked(Update):
    """An edited call judged anew: `request` is what the card shows now, None when `problem` says why it cannot run.

    `field`: the argument the problem is about, "" when it is about the call (a refusal).
    """

    session_id: str
    input_id: str
    edited_input: dict[str, JsonValue]
    request: ApprovalRequest | None = None
    problem: str = ""
    field: str = ""


class EffectShown(Update):
    """The effect that the SQL of an open request would have."""

    session_id: str
    input_id: str
    preview: EffectPreview


class RulesListed(Update):
    """Every file of rules that counts for the open project, in the order managed, user, project, shared; `asked`: what
    commands asked about in the last day."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM
    files: tuple[RuleFile, ...]
    asked: AskedLately = AskedLately()


class ToolsListed(Update):
    """The verdicts on the calls of each tool in each mode, with the sandbox that there is."""

    rows: tuple[ToolRow, ...]


class CommandTried(Update):
    """The verdict on a command line that a person tried. `rule`: what decided or let it run."""

    text: str
    verdict: Literal["allow", "ask", "deny"]
    reason: str
    rule: str = ""


class SandboxReported(Update):
    """The report on the sandbox of this computer, tried just now."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM
    report: SandboxReport


class AuditVerified(Update):
    """The result of checking the chain of the record: a sentence with the number of records and the time, or the first
    fault."""

    session_id: str
    ok: bool
    text: str
    records: int = 0


class AuditExported(Answer):
    """The file was written."""

    session_id: str
    path: str
    records: int = 0


CHANGED_RECORD = "chain"
"""The code of a CommandFailed that says that the record of a chat was changed outside the program."""


class CommandFailed(Answer):
    """A command was not carried out. `text` is for the person."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    code: str
    text: str
    session_id: str = ""

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The failure stands when it says that the record of a chat was changed outside; other failures pass."""
        return ((self.session_id, self),) if self.code == CHANGED_RECORD else ()
