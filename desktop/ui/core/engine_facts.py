"""EngineFacts: settings, keys, models, rules, MCP servers and sandbox as the engine last told them."""

from desktop.config.found import FoundService, default_endpoint
from desktop.config.settings import DEMO_ENDPOINT, Endpoint, Settings
from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.service_kinds import ServiceKind
from desktop.domain.core.work import Project
from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import RuleFile
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.guests.updates import GuestListing, GuestsListed
from desktop.domain.guests.values import guest_of
from desktop.domain.hooks.updates import HooksWait
from desktop.domain.mcp.updates import McpServerRow, McpServersListed
from desktop.domain.releases.updates import ReleasesStand
from desktop.domain.updates import (
    CHANGED_RECORD,
    CommandFailed,
    DatabaseKeysChanged,
    EndpointChecked,
    EngineReady,
    EngineStopped,
    KeysChanged,
    KeyState,
    ModelInfo,
    ProjectOpened,
    RulesListed,
    SandboxReported,
    SessionsChanged,
    SettingsChanged,
)
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.sidebar_row import UNTITLED

STARTING = tr("Banksman is still starting.")


class EngineFacts:
    """`ready` False until the engine has started, `stopped` its words when it ended.

    `sample`: the repository is that of the tour. `sandbox` None: not tried yet. `rules` None: not listed yet.
    `guests`: agents of others, None: nobody asked yet which there are. `passwords`: the databases whose password is
    kept. `found`: services that the environment names; `found_problems`: why others that it names are not used.
    `store_problems`: why the chats can only be read. `changed_records`: per chat the sentence that says that its record
    was changed outside the program. `releases`: what is known of newer versions, None: this build looks for
    none. `muted`: ids and display-safe titles of chats nobody is notified of.
    """

    def __init__(self) -> None:
        self.ready = False
        self.stopped = ""
        self.settings = Settings()
        self.sandbox: SandboxReport | None = None
        self.rules: tuple[RuleFile, ...] | None = None
        self.hooks: tuple[str, ...] = ()
        self.mcp: tuple[McpServerRow, ...] = ()
        self.guests: tuple[GuestListing, ...] | None = None
        self.releases: ReleasesStand | None = None
        self.passwords: frozenset[str] = frozenset()
        self.project: Project | None = None
        self.problem = ""
        self.sample = False
        self.muted: tuple[tuple[str, str], ...] = ()
        self.keyring_problem = ""
        self.found: tuple[FoundService, ...] = ()
        self.found_problems: tuple[str, ...] = ()
        self.store_folder = self.log_folder = ""
        self.service_kinds: tuple[ServiceKind, ...] = ()
        self.store_problems: tuple[str, ...] = ()
        self.changed_records: dict[str, str] = {}
        self._keys: dict[str, KeyState] | None = None
        self._models: dict[str, tuple[ModelInfo, ...]] = {}
        self.hearing = self._hears()

    def blocked(self, endpoint_id: str) -> str:
        """Why nothing can be sent to this endpoint now, "" if it can."""
        if self.stopped:
            return tr("The engine stopped: {why}", why=display_text(self.stopped))
        if not self.ready:
            return STARTING
        if self.store_problems:
            return tr("The chats can only be read now.")
        return self.guest_missing(guest_of(endpoint_id)) or self.key_missing(endpoint_id)

    def guest(self, guest_id: str) -> GuestListing | None:
        """The agent of this id, None while or where it is not known."""
        return next((one for one in self.guests or () if one.id == guest_id), None)

    def guest_label(self, guest_id: str) -> str:
        """What people call the agent; its id while that is not known."""
        listed = self.guest(guest_id)
        return display_text(listed.label if listed is not None else guest_id)

    def guest_missing(self, guest_id: str) -> str:
        """Why the agent cannot work here, "" if it can, and for no agent."""
        listed = self.guest(guest_id)
        if not guest_id or self.guests is None:
            return ""
        if listed is None:
            return tr("There is no agent '{agent}' here.", agent=display_text(guest_id))
        if not listed.program:
            return tr("{agent} is not installed on this computer.", agent=display_text(listed.label))
        return display_text(said(listed.problem))

    def endpoints(self) -> tuple[Endpoint, ...]:
        """The person's endpoints, those of the environment that are used, then the demo."""
        return (*self.settings.endpoints, *(one.endpoint for one in self._found_used), DEMO_ENDPOINT)

    def endpoint(self, endpoint_id: str) -> Endpoint | None:
        """The endpoint of that id, None if there is none, or none any more."""
        return next((one for one in self.endpoints() if one.id == endpoint_id), None)

    def found_service(self, endpoint_id: str) -> FoundService | None:
        """The service of that id that the environment names and that is used, None for any other."""
        return next((one for one in self._found_used if one.endpoint.id == endpoint_id), None)

    @property
    def default_endpoint(self) -> str:
        """The id of the service of new chats."""
        return default_endpoint(self.settings, self._found_used, self._has_key)

    def kind_label(self, endpoint: Endpoint) -> str:
        """What the endpoint's kind is called; its name where the engine has not told."""
        return next((one.label for one in self.service_kinds if one.name == endpoint.kind), endpoint.kind)

    def models(self, endpoint: Endpoint, *, as_listed: bool = False) -> tuple[ModelInfo, ...]:
        """What the endpoint listed when it was tried, with its default model always among them, at the prices that the
        person set, or `as_listed`."""
        known = self._models.get(endpoint.id, ())
        if endpoint.default_model and all(model.id != endpoint.default_model for model in known):
            default = ModelInfo(id=endpoint.default_model, name=endpoint.default_model)
            known = (default, *known)
        return known if as_listed else tuple(_at_own_price(endpoint, model) for model in known)

    def model_name(self, endpoint_id: str, model: str) -> str:
        """What the service calls this model, its id where it has not told."""
        known = self._models.get(endpoint_id, ())
        return next((one.name for one in known if one.id == model and one.name), model)

    def lists_models(self, endpoint_id: str) -> bool:
        """Whether the service told which models it has."""
        return bool(self._models.get(endpoint_id))

    def reads_images(self, endpoint_id: str) -> bool:
        """Whether pictures can be sent to this endpoint, as far as the settings say."""
        endpoint = self.endpoint(endpoint_id)
        return endpoint is None or endpoint.images != "off"

    def searches_at_vendor(self, endpoint_id: str, *, wary: bool) -> bool:
        """Whether the service of this endpoint may search the web by itself. `wary`: for a chat that is in Plan or has
        read from outside."""
        endpoint = self.endpoint(endpoint_id)
        kinds = {one.name for one in self.service_kinds if one.searches}
        return endpoint is not None and endpoint.kind in kinds and self.settings.web.at_vendor(wary=wary)

    def key_state(self, endpoint_id: str) -> KeyState:
        """Whether the endpoint has a key, and where, as far as the engine has told."""
        return (self._keys or {}).get(endpoint_id, KeyState(endpoint_id=endpoint_id, place="none"))

    def key_known(self, endpoint_id: str) -> bool:
        """Whether the engine has told if this endpoint has the key that it needs."""
        endpoint = self.endpoint(endpoint_id)
        unneeded = endpoint is None or endpoint.is_demo or endpoint.auth == "none"
        return self.ready and (unneeded or self._keys is not None)

    def key_missing(self, endpoint_id: str) -> str:
        """Why a chat with this endpoint cannot send, "" if it can. Agents of others see to themselves."""
        endpoint = self.endpoint(endpoint_id)
        if guest_of(endpoint_id):
            return ""
        if endpoint is None:
            return (
                tr("Choose a model first.")
                if not endpoint_id
                else tr("This chat's model service is not in the settings.")
            )
        if endpoint.is_demo or endpoint.auth == "none" or self._keys is None:
            return ""
        return (
            ""
            if self._has_key(endpoint_id)
            else tr("Add a key for {service} first.", service=display_text(endpoint.label))
        )

    @property
    def _found_used(self) -> tuple[FoundService, ...]:
        return tuple(one for one in self.found if one.used and self.settings.endpoint(one.endpoint.id) is None)

    def _has_key(self, endpoint_id: str) -> bool:
        return self.key_state(endpoint_id).place != "none"

    def _hears(self) -> Hearing:
        return (
            Hearing()
            .on(EngineReady, self._on_ready)
            .on(EngineStopped, self._on_stopped)
            .on(SettingsChanged, self._on_settings)
            .on(KeysChanged, self._on_keys)
            .on(EndpointChecked, self._on_checked)
            .on(ProjectOpened, self._on_project)
            .on(SessionsChanged, self._on_sessions)
            .on(SandboxReported, self._on_sandbox)
            .on(RulesListed, self._on_rules)
            .on(McpServersListed, self._on_mcp)
            .on(HooksWait, self._on_hooks)
            .on(GuestsListed, self._on_guests)
            .on(ReleasesStand, self._on_releases)
            .on(DatabaseKeysChanged, self._on_database_keys)
            .on(StoreDamaged, self._on_damaged)
            .on(CommandFailed, self._on_failed)
        )

    def _on_ready(self, update: EngineReady) -> None:
        self.ready = True
        self.settings = update.settings
        self.store_folder, self.log_folder = update.store_folder, update.log_folder
        self.service_kinds = update.service_kinds

    def _on_stopped(self, update: EngineStopped) -> None:
        self.stopped = update.reason or tr("It ended without a reason.")

    def _on_settings(self, update: SettingsChanged) -> None:
        self.settings = update.settings

    def _on_keys(self, update: KeysChanged) -> None:
        self._keys = {key.endpoint_id: key for key in update.keys}
        self.keyring_problem = update.keyring_problem
        self.found, self.found_problems = update.found, update.found_problems

    def _on_checked(self, update: EndpointChecked) -> None:
        if update.ok:
            self._models[update.endpoint_id] = update.models

    def _on_project(self, update: ProjectOpened) -> None:
        self.project, self.problem, self.sample = update.project, update.problem, update.sample

    def _on_sessions(self, update: SessionsChanged) -> None:
        self.muted = tuple(
            (one.session_id, display_text(one.title) or UNTITLED)
            for one in update.sessions
            if one.muted and not one.archived
        )

    def _on_sandbox(self, update: SandboxReported) -> None:
        self.sandbox = update.report

    def _on_rules(self, update: RulesListed) -> None:
        self.rules = update.files

    def _on_hooks(self, update: HooksWait) -> None:
        self.hooks = update.sentences

    def _on_releases(self, update: ReleasesStand) -> None:
        self.releases = update

    def _on_guests(self, update: GuestsListed) -> None:
        self.guests = update.guests

    def _on_mcp(self, update: McpServersListed) -> None:
        self.mcp = update.servers

    def _on_database_keys(self, update: DatabaseKeysChanged) -> None:
        self.passwords = frozenset(update.names)
        self.keyring_problem = update.keyring_problem

    def _on_damaged(self, update: StoreDamaged) -> None:
        self.store_problems = update.problems

    def _on_failed(self, update: CommandFailed) -> None:
        if update.code == CHANGED_RECORD:
            self.changed_records[update.session_id] = update.text


def _at_own_price(endpoint: Endpoint, model: ModelInfo) -> ModelInfo:
    """The model at the price that the person set for it, if there is one."""
    own = endpoint.price(model.id)
    if own is None:
        return model
    return model.model_copy(update={"input_microusd": own.input_microusd, "output_microusd": own.output_microusd})
