"""Commands: everything a person can ask of the engine. They return nothing; what came of one arrives as an Update."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Endpoint, Settings
from desktop.domain.changes.commands import ReviewCommand
from desktop.domain.chats.commands import CommandBase, SessionCommand
from desktop.domain.chats.sounds import PlaySound
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ThinkingLevel
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule, RuleScope
from desktop.domain.github.commands import GitHubCommand
from desktop.domain.lanes.commands import LaneCommand
from desktop.domain.proofs.commands import ProofCommand
from desktop.domain.pulls.commands import PullCommand
from desktop.domain.reports.commands import ReportCommand
from desktop.domain.rounds.commands import ResolutionCommand


class OpenProject(CommandBase):
    """Open the repository that holds `path`. → ProjectOpened, SessionsChanged, or CommandFailed."""

    type: Literal["open_project"] = "open_project"
    path: str


class NewSession(CommandBase):
    """Start a chat with its first message. `session_id` is made by the sender, so that it can show the chat at once.

    `place` lane: a new worktree and branch named after the text. `place` checkout: the person's own files, on purpose.
    `lane_id`: in this lane, which exists; `place` then counts for nothing.
    """

    type: Literal["new_session"] = "new_session"
    session_id: str
    text: str
    attachments: tuple[str, ...] = ()
    place: Literal["lane", "checkout"] = "lane"
    lane_id: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    endpoint_id: str = ""
    model: str = ""
    thinking: ThinkingLevel = "off"
    without_sandbox: bool = False


class OpenSession(CommandBase):
    """Show a chat. → SessionOpened with its events, then Updates as they happen."""

    type: Literal["open_session"] = "open_session"
    session_id: str


class SendMessage(CommandBase):
    """Begin a turn with a person's message; while one runs it waits in the queue, at most ten do.

    `attachments`: logical names of files kept for this project. `interrupt`: stop the running step and send it now.
    """

    type: Literal["send_message"] = "send_message"
    session_id: str
    text: str
    attachments: tuple[str, ...] = ()
    interrupt: bool = False


class Interrupt(CommandBase):
    """Stop the turn. Any number of times gives one end. `after_step`: let running calls finish first."""

    type: Literal["interrupt"] = "interrupt"
    session_id: str
    after_step: bool = False


class ContinueTurn(CommandBase):
    """Go on with a turn that was cut off or failed."""

    type: Literal["continue_turn"] = "continue_turn"
    session_id: str


class AnswerInput(CommandBase):
    """A person's answer to a card. `digest` is the one on screen ("" for questions and plans)."""

    type: Literal["answer_input"] = "answer_input"
    session_id: str
    input_id: str
    answer: Answer
    digest: str = ""
    demo: bool = False


class SetMode(CommandBase):
    """Change the permission mode. Full auto without a sandbox needs `without_sandbox`: the person saw the dialog."""

    type: Literal["set_mode"] = "set_mode"
    session_id: str
    mode: PermissionMode
    without_sandbox: bool = False


class SetModel(CommandBase):
    """Choose the model; it counts from the next turn."""

    type: Literal["set_model"] = "set_model"
    session_id: str
    endpoint_id: str
    model: str
    thinking: ThinkingLevel = "off"


class RenameSession(CommandBase):
    """Give the chat a title. Blank: back to the automatic one."""

    type: Literal["rename_session"] = "rename_session"
    session_id: str
    title: str


class ArchiveSession(CommandBase):
    """Take the chat out of the lists, or bring it back. Refused while a turn runs."""

    type: Literal["archive_session"] = "archive_session"
    session_id: str
    archived: bool = True


class StopShell(CommandBase):
    """End one background command and its children."""

    type: Literal["stop_shell"] = "stop_shell"
    session_id: str
    shell_id: str


class LoadBlob(CommandBase):
    """Stored bytes as text. → BlobLoaded."""

    type: Literal["load_blob"] = "load_blob"
    session_id: str
    sha256: str


class SaveText(CommandBase):
    """Write a text that the window shows to a new file that the person chose. → TextSaved."""

    type: Literal["save_text"] = "save_text"
    session_id: str
    path: str
    text: str


class SaveSettings(CommandBase):
    """Replace the settings. → SettingsChanged."""

    type: Literal["save_settings"] = "save_settings"
    settings: Settings


class SaveKey(CommandBase):
    """Keep an API key for one endpoint in the system keyring, or, without one, until the app closes. → KeysChanged."""

    type: Literal["save_key"] = "save_key"
    endpoint_id: str
    key: SecretStr


class RemoveKey(CommandBase):
    """Forget an endpoint's key. → KeysChanged."""

    type: Literal["remove_key"] = "remove_key"
    endpoint_id: str


class CheckEndpoint(CommandBase):
    """Try an endpoint with its key and list its models. → EndpointChecked."""

    type: Literal["check_endpoint"] = "check_endpoint"
    endpoint: Endpoint


class TestDatabase(CommandBase):
    """Connect to a database, saved or not, and look what the session may do. → DatabaseTested.

    `password` None: the one that is kept for it.
    """

    type: Literal["test_database"] = "test_database"
    connection: DatabaseConnection
    password: SecretStr | None = None


class SaveDatabasePassword(CommandBase):
    """Keep the password of a connection, bound to its name and target. → DatabaseKeysChanged."""

    type: Literal["save_database_password"] = "save_database_password"
    name: str
    password: SecretStr


class RemoveDatabasePassword(CommandBase):
    """Forget the password of a connection. → DatabaseKeysChanged."""

    type: Literal["remove_database_password"] = "remove_database_password"
    name: str


class PreviewRule(CommandBase):
    """Which past calls would rules of these word prefixes have matched? Nothing is saved. → RulePreviewed."""

    type: Literal["preview_rule"] = "preview_rule"
    session_id: str
    input_id: str
    tokens: tuple[tuple[str, ...], ...]


class CheckEdit(CommandBase):
    """Would an open call, changed like this, be valid, and how would it be judged? → EditChecked."""

    type: Literal["check_edit"] = "check_edit"
    session_id: str
    input_id: str
    edited_input: dict[str, JsonValue]


class PreviewEffect(CommandBase):
    """Try the SQL of an open request and roll it back. → EffectShown."""

    type: Literal["preview_effect"] = "preview_effect"
    session_id: str
    input_id: str


class MarkReviewed(CommandBase):
    """Looked back on these calls; `note` goes to the agent with the next message."""

    type: Literal["mark_reviewed"] = "mark_reviewed"
    session_id: str
    input_ids: tuple[str, ...]
    note: str = ""


class RevertChange(CommandBase):
    """Put back the files that one call changed. Refused when any was changed since."""

    type: Literal["revert_change"] = "revert_change"
    session_id: str
    call_id: str


class ClearTaint(CommandBase):
    """The session may be trusted again with what it has read."""

    type: Literal["clear_taint"] = "clear_taint"
    session_id: str


class LoadRules(CommandBase):
    """All rules of the open project, with their files. → RulesListed."""

    type: Literal["load_rules"] = "load_rules"


class SaveRule(CommandBase):
    """Make a rule, or replace the one of the same id. → RulesListed."""

    type: Literal["save_rule"] = "save_rule"
    rule: Rule


class RemoveRule(CommandBase):
    """Take a rule back; it counts no more from the next decision on. → RulesListed."""

    type: Literal["remove_rule"] = "remove_rule"
    rule_id: str
    scope: RuleScope


class TrustRules(CommandBase):
    """Let the allow rules of the repository's own file count, for exactly this content. → RulesListed."""

    type: Literal["trust_rules"] = "trust_rules"
    sha256: str


class TryCommand(CommandBase):
    """How would this command line be judged in edit mode? Nothing runs. → CommandTried."""

    type: Literal["try_command"] = "try_command"
    text: str


class ProbeSandbox(CommandBase):
    """Try the sandbox again. → SandboxReported."""

    type: Literal["probe_sandbox"] = "probe_sandbox"


class VerifyAudit(CommandBase):
    """Check the hash chain of one chat, "" for all. → AuditVerified."""

    type: Literal["verify_audit"] = "verify_audit"
    session_id: str = ""


class LoadTools(CommandBase):
    """What becomes of the calls of each tool in each mode. → ToolsListed."""

    type: Literal["load_tools"] = "load_tools"


class ExportAudit(CommandBase):
    """Write the records of one chat as JSON lines to a new file, secrets removed. → AuditExported."""

    type: Literal["export_audit"] = "export_audit"
    session_id: str
    path: str


Command = Annotated[
    OpenProject | NewSession | OpenSession | SendMessage | Interrupt | ContinueTurn | AnswerInput | SetMode | SetModel
    | RenameSession | ArchiveSession | StopShell | LoadBlob | SaveSettings | SaveKey | RemoveKey
    | SaveText | CheckEndpoint | TestDatabase | SaveDatabasePassword | RemoveDatabasePassword | PreviewRule | CheckEdit
    | PreviewEffect | MarkReviewed | RevertChange | ClearTaint | LoadRules | LoadTools | SaveRule | RemoveRule
    | TrustRules | TryCommand | ProbeSandbox | VerifyAudit | ExportAudit | SessionCommand | LaneCommand
    | ReportCommand | ReviewCommand | PullCommand | GitHubCommand | ProofCommand | PlaySound
    | ResolutionCommand,
    Field(discriminator="type"),
]  # fmt: skip
