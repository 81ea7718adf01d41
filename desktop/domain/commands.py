"""Commands: everything a person can ask of the engine. They return nothing; what came of one arrives as an Update."""

from typing import ClassVar, Literal

from pydantic import JsonValue, SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Endpoint, Settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.core.command import Command, Spoken
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ThinkingLevel
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule, RuleScope
from desktop.domain.guests.values import OWN_DRIVER


class OpenProject(Command):
    """Open the repository that holds `path`. → ProjectOpened, SessionsChanged, or CommandFailed."""

    reads: ClassVar[bool] = True
    type: Literal["open_project"] = "open_project"
    path: str


class OpenSample(Command):
    """Make the sample repository of the tour, unless it is there, and open it. → as OpenProject."""

    reads: ClassVar[bool] = True
    type: Literal["open_sample"] = "open_sample"


class NewSession(Spoken):
    """Start a chat with its first message. `session_id` is made by the sender, so that it can show the chat at once.

    `place` lane: a new worktree and branch named after the text. `place` checkout: the person's own files, on purpose.
    `lane_id`: in this lane, which exists; `place` then counts for nothing. `limits`, `rules`: the chat's own from its
    begin, the settings' and none where they are not given. `driver`: who carries out its turns, for as long as there
    is the chat: `own`, then endpoint and model are asked, or the id of a guest, which has a model of its own.
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
    driver: str = OWN_DRIVER
    without_sandbox: bool = False
    limits: Limits | None = None
    rules: tuple[Rule, ...] = ()


class OpenSession(Command):
    """Show a chat. → SessionOpened with its events, then Updates as they happen."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    log_first: ClassVar[bool] = False
    type: Literal["open_session"] = "open_session"
    session_id: str


class SendMessage(Spoken):
    """Begin a turn with a person's message; while one runs it waits in the queue, at most ten do.

    `attachments`: logical names of files kept for this project. `interrupt`: stop the running step and send it now.
    """

    type: Literal["send_message"] = "send_message"
    session_id: str
    text: str
    attachments: tuple[str, ...] = ()
    interrupt: bool = False


class Interrupt(Command):
    """Stop the turn. Any number of times gives one end. `after_step`: let running calls finish first."""

    type: Literal["interrupt"] = "interrupt"
    session_id: str
    after_step: bool = False


class ContinueTurn(Command):
    """Go on with a turn that was cut off or failed."""

    type: Literal["continue_turn"] = "continue_turn"
    session_id: str


class AnswerInput(Command):
    """A person's answer to a card. `digest` is the one on screen ("" for questions and plans). `person`: as whose it is
    recorded, `acp:` and the name of a program for a person at that."""

    type: Literal["answer_input"] = "answer_input"
    session_id: str
    input_id: str
    answer: Answer
    digest: str = ""
    demo: bool = False
    person: str = "person"


class SetMode(Command):
    """Change the permission mode. Full auto without a sandbox needs `without_sandbox`: the person saw the dialog."""

    type: Literal["set_mode"] = "set_mode"
    session_id: str
    mode: PermissionMode
    without_sandbox: bool = False


class SetModel(Command):
    """Choose the model; it counts from the next turn."""

    type: Literal["set_model"] = "set_model"
    session_id: str
    endpoint_id: str
    model: str
    thinking: ThinkingLevel = "off"


class RenameSession(Command):
    """Give the chat a title. Blank: back to the automatic one."""

    on_imported: ClassVar[bool] = True
    type: Literal["rename_session"] = "rename_session"
    session_id: str
    title: str


class ArchiveSession(Command):
    """Take the chat out of the lists, or bring it back. Refused while a turn runs."""

    on_imported: ClassVar[bool] = True
    type: Literal["archive_session"] = "archive_session"
    session_id: str
    archived: bool = True


class StopShell(Command):
    """End one background command and its children."""

    type: Literal["stop_shell"] = "stop_shell"
    session_id: str
    shell_id: str


class LoadBlob(Command):
    """Stored bytes as text. → BlobLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_blob"] = "load_blob"
    session_id: str
    sha256: str


class SaveText(Command):
    """Write a text that the window shows to a new file that the person chose. → TextSaved."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["save_text"] = "save_text"
    session_id: str
    path: str
    text: str


class SaveSettings(Command):
    """Replace the settings. → SettingsChanged."""

    reads: ClassVar[bool] = True
    type: Literal["save_settings"] = "save_settings"
    settings: Settings


class SaveKey(Command):
    """Keep an API key for one endpoint in the system keyring, or, without one, until the app closes. → KeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["save_key"] = "save_key"
    endpoint_id: str
    key: SecretStr


class RemoveKey(Command):
    """Forget an endpoint's key. → KeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["remove_key"] = "remove_key"
    endpoint_id: str


class CheckEndpoint(Command):
    """Try an endpoint, saved or not, and list its models. → EndpointChecked.

    `key` None: the one that it has. `model`: asked for a word, a call of a tool and the colour of a picture, where that
    costs nothing that anybody counts; "" for the list alone.
    """

    reads: ClassVar[bool] = True
    type: Literal["check_endpoint"] = "check_endpoint"
    endpoint: Endpoint
    key: SecretStr | None = None
    model: str = ""


class FindAddresses(Command):
    """Read the addresses of model services in the settings of other programs of this person; never a key.
    → AddressesFound."""

    reads: ClassVar[bool] = True
    type: Literal["find_addresses"] = "find_addresses"


class TestDatabase(Command):
    """Connect to a database, saved or not, and look what the session may do. → DatabaseTested.

    `password` None: the one that is kept for it.
    """

    reads: ClassVar[bool] = True
    type: Literal["test_database"] = "test_database"
    connection: DatabaseConnection
    password: SecretStr | None = None


class SaveDatabasePassword(Command):
    """Keep the password of a connection, bound to its name and target. → DatabaseKeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["save_database_password"] = "save_database_password"
    name: str
    password: SecretStr


class RemoveDatabasePassword(Command):
    """Forget the password of a connection. → DatabaseKeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["remove_database_password"] = "remove_database_password"
    name: str


class PreviewRule(Command):
    """Tell which past calls rules of these word prefixes would have matched. Nothing is saved. → RulePreviewed."""

    reads: ClassVar[bool] = True
    type: Literal["preview_rule"] = "preview_rule"
    session_id: str
    input_id: str
    tokens: tuple[tuple[str, ...], ...]


class CheckEdit(Command):
    """Would an open call, changed like this, be valid, and how would it be judged? → EditChecked."""

    type: Literal["check_edit"] = "check_edit"
    session_id: str
    input_id: str
    edited_input: dict[str, JsonValue]


class PreviewEffect(Command):
    """Try the SQL of an open request and roll it back. → EffectShown."""

    type: Literal["preview_effect"] = "preview_effect"
    session_id: str
    input_id: str


class MarkReviewed(Command):
    """Looked back on these calls; `note` goes to the agent with the next message."""

    type: Literal["mark_reviewed"] = "mark_reviewed"
    session_id: str
    input_ids: tuple[str, ...]
    note: str = ""


class RevertChange(Command):
    """Put back the files that one call changed. Refused when any was changed since."""

    type: Literal["revert_change"] = "revert_change"
    session_id: str
    call_id: str


class ClearTaint(Command):
    """The session may be trusted again with what it has read."""

    type: Literal["clear_taint"] = "clear_taint"
    session_id: str


class LoadRules(Command):
    """Tell all rules of the open project, with their files. → RulesListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_rules"] = "load_rules"


class SaveRule(Command):
    """Make a rule, or replace the one of the same id. → RulesListed."""

    type: Literal["save_rule"] = "save_rule"
    rule: Rule


class RemoveRule(Command):
    """Take a rule back; it counts no more from the next decision on. → RulesListed."""

    type: Literal["remove_rule"] = "remove_rule"
    rule_id: str
    scope: RuleScope


class TrustRules(Command):
    """Let the allow rules of the repository's own file count, for exactly this content. → RulesListed."""

    type: Literal["trust_rules"] = "trust_rules"
    sha256: str


class TryCommand(Command):
    """Tell how a command line would be judged in edit mode. Nothing runs. → CommandTried."""

    reads: ClassVar[bool] = True
    type: Literal["try_command"] = "try_command"
    text: str


class ProbeSandbox(Command):
    """Try the sandbox again. → SandboxReported."""

    reads: ClassVar[bool] = True
    type: Literal["probe_sandbox"] = "probe_sandbox"


class VerifyAudit(Command):
    """Check the hash chain of one chat, "" for all. → AuditVerified."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["verify_audit"] = "verify_audit"
    session_id: str = ""


class LoadTools(Command):
    """Tell what becomes of the calls of each tool in each mode. → ToolsListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_tools"] = "load_tools"


class ExportAudit(Command):
    """Write the records of one chat as JSON lines to a new file, secrets removed. → AuditExported."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["export_audit"] = "export_audit"
    session_id: str
    path: str
