"""Commands: everything a person can ask of the engine. They return nothing; what came of one arrives as an Update."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from desktop.config.settings import Endpoint, Settings
from desktop.domain.base import Frozen
from desktop.domain.events import ThinkingLevel
from desktop.domain.ids import new_command_id
from desktop.domain.pending import Answer
from desktop.domain.permissions import PermissionMode


class CommandBase(Frozen):
    """`command_id` lets the sender recognise its CommandFailed."""

    command_id: str = Field(default_factory=new_command_id)


class OpenProject(CommandBase):
    """Open the repository that holds `path`. → ProjectOpened, SessionsChanged, or CommandFailed."""

    type: Literal["open_project"] = "open_project"
    path: str


class NewSession(CommandBase):
    """Start a chat with its first message. `session_id` is made by the sender, so that it can show the chat at once.

    `place` lane: a new worktree and branch named after the text. `place` checkout: the person's own files, on purpose.
    """

    type: Literal["new_session"] = "new_session"
    session_id: str
    text: str
    place: Literal["lane", "checkout"] = "lane"
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
    """Begin a turn with a person's message. Refused while a turn runs."""

    type: Literal["send_message"] = "send_message"
    session_id: str
    text: str


class Interrupt(CommandBase):
    """Stop the turn. Any number of times gives one end."""

    type: Literal["interrupt"] = "interrupt"
    session_id: str


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


class LoadChanges(CommandBase):
    """Which files of the chat's lane differ from its base. → ChangesLoaded."""

    type: Literal["load_changes"] = "load_changes"
    session_id: str


class LoadBlob(CommandBase):
    """Stored bytes as text. → BlobLoaded."""

    type: Literal["load_blob"] = "load_blob"
    session_id: str
    sha256: str


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


Command = Annotated[
    OpenProject | NewSession | OpenSession | SendMessage | Interrupt | ContinueTurn | AnswerInput | SetMode | SetModel
    | RenameSession | ArchiveSession | StopShell | LoadChanges | LoadBlob | SaveSettings | SaveKey | RemoveKey
    | CheckEndpoint,
    Field(discriminator="type"),
]  # fmt: skip
