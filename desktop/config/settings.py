"""Settings: one TOML file, one model. Only a person's settings file is read, never a file of a repository."""

import re
import shlex
from pathlib import PurePath
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator, model_validator

from desktop.config.databases import DatabaseConnection
from desktop.config.guests import GuestSettings
from desktop.config.notification_settings import NotificationSettings
from desktop.config.prices import ModelPrice
from desktop.config.web import WebSettings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.children.values import DEEPEST
from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.values import OWN_DRIVER
from desktop.domain.lanes.names import BRANCH_PREFIX, prefix_problem
from desktop.domain.memory.values import NO_WORDS, OwnWords

ANTHROPIC_ADDRESS = "https://api.anthropic.com"
OPENAI_ADDRESS = "https://api.openai.com/v1"
_VENDOR, _DEMO = "anthropic", "demo"
_SPEAK_MESSAGES = (_VENDOR, "compatible")
"""Kinds to whose address /v1/messages is added; a key belongs to the address without it."""
MOST_EMBEDDINGS = 250
_SPEAK_CHAT = ("openai", "openai_compatible", "openrouter")
"""Kinds to whose address /chat/completions is added; most have /v1 before it, and an address of a host alone means so.
"""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_PROXY = re.compile(r"http://(\[[0-9a-fA-F:]+\]|[A-Za-z0-9_.-]+):[0-9]{1,5}")


class Endpoint(Frozen):
    """A model service. `kind`: which one of `desktop/providers/builtin/`. `compatible`: any server that speaks
    /v1/messages; `openai_compatible`: chat completions. `demo`: built in, offline. `base_url`: where a settings file
    names none, its kind's own address.

    Windows in tokens; `context_window` 0 means: look it up. `images` off: the model reads none. `prices`: what
    the person says that models of it cost, each once; the others cost what the price table says.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    label: str = Field(min_length=1, max_length=60)
    kind: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    base_url: str = Field(default="", validate_default=True)
    auth: Literal["api_key", "x-api-key", "none"] = "api_key"
    default_model: str = Field(default="", max_length=200)
    context_window: int = Field(default=0, ge=0)
    max_output_tokens: int = Field(default=8192, ge=256, le=200_000)
    first_event_timeout_s: float = Field(default=120.0, gt=0)
    idle_timeout_s: float = Field(default=90.0, gt=0)
    caching: Literal["auto", "on", "off"] = "auto"
    images: Literal["auto", "on", "off"] = "auto"
    prices: tuple[ModelPrice, ...] = ()

    @field_validator("prices")
    @classmethod
    def _one_price_each(cls, value: tuple[ModelPrice, ...]) -> tuple[ModelPrice, ...]:
        if len({one.model for one in value}) != len(value):
            raise ValueError("each model has one price")
        return value

    @field_validator("kind")
    @classmethod
    def _known_kind(cls, value: str, validated: ValidationInfo) -> str:
        known = (validated.context or {}).get("addresses", (value,))
        if value not in known:
            raise ValueError(f"there is no kind '{value}' of model service, only {', '.join(known)}")
        return value

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str, validated: ValidationInfo) -> str:
        value, kind = value.strip().rstrip("/"), validated.data.get("kind", _DEMO)
        value = value or (validated.context or {}).get("addresses", {}).get(kind, "")
        if kind in _SPEAK_MESSAGES:
            value = value.removesuffix("/v1/messages").removesuffix("/v1").rstrip("/")
        if kind in _SPEAK_CHAT and value:
            value = value.removesuffix("/chat/completions").rstrip("/")
            value = value if urlsplit(value).path else f"{value}/v1"
        return value

    @model_validator(mode="after")
    def _safe_address(self) -> Self:
        problem = address_problem(self.base_url) if not self.is_demo else ""
        if problem and "base_url" not in self.model_fields_set:
            problem = f"a service of kind '{self.kind}' has no address of its own, so it needs a base_url"
        if problem:
            raise ValueError(problem)
        return self

    def price(self, model: str) -> ModelPrice | None:
        """What the person says that the model costs, None where they said nothing."""
        return next((one for one in self.prices if one.model == model), None)

    @property
    def is_demo(self) -> bool:
        """Whether the program answers itself, without an address or a key."""
        return self.kind == _DEMO

    @property
    def protocol(self) -> str:
        """What it speaks: services of one protocol are of one kind to people, whoever runs them."""
        return "messages" if self.kind in _SPEAK_MESSAGES else "chat" if self.kind in _SPEAK_CHAT else self.kind

    @property
    def is_added(self) -> bool:
        """Whether it is of a kind that comes with no endpoint of its own, so that a person added it."""
        return self.kind not in (_VENDOR, _DEMO)


def address_problem(address: str) -> str:
    """Why a key must not be sent to this address, "" if it may: https, or http on this computer."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "This is no address. Write it as https://host or https://host:port."
    if parts.scheme not in ("https", "http") or not host or any(c.isspace() for c in address):
        return "An address begins with https:// and names a host, such as https://models.example.com."
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return "An address holds no name, key, ? or #. Keys have a field of their own."
    if parts.scheme == "http" and host not in _LOOPBACK:
        return f"http is allowed for this computer only (127.0.0.1). Use https://{host}."
    return ""


_LEAST = {"tokens": 10_000, "cost_microusd": 10_000, "running_s": 60, "chat_microusd": 10_000, "day_microusd": 10_000}

_WORDS = {
    "tokens": "of tokens is at least {least:,}",
    "cost_microusd": "of a turn's cost is at least $0.01",
    "running_s": "of running time is at least 1 minute",
    "chat_microusd": "of a chat's cost is at least $0.01",
    "day_microusd": "of a day's cost is at least $0.01",
}


def limits_problem(limits: Limits) -> str:
    """Why limits cannot be kept, "" if they can: each is off (0) or at least so large that a turn can begin."""
    for name, least in _LEAST.items():
        if 0 < limits.model_dump()[name] < least:
            return f"The limit {_WORDS[name].format(least=least)}, or 0 for none."
    return ""


DEMO_ENDPOINT = Endpoint(id="demo", label="Demo", kind=_DEMO, base_url="", auth="none", default_model="demo")
ANTHROPIC_ENDPOINT = Endpoint(
    id="anthropic", label="Anthropic", kind=_VENDOR, base_url=ANTHROPIC_ADDRESS, default_model="claude-sonnet-4-6"
)


_HOST = re.compile(r"(?=.{1,255}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")


class GitHubHost(Frozen):
    """A GitHub that remotes of repositories may lie on, and who is signed in there.

    `host` as in a remote's address, with a port that is not the usual one. `api_url` "": the usual address. `login`
    and `source` (how it was signed in) are kept by the engine. `client_id`: of an app registered there, for signing in
    by a code; github.com has the build's own.
    """

    host: str
    api_url: str = ""
    login: str = Field(default="", max_length=100)
    source: Literal["", "token", "gh", "device"] = ""
    client_id: str = Field(default="", max_length=100)

    @field_validator("host")
    @classmethod
    def _plain_host(cls, value: str) -> str:
        value = value.strip().lower()
        if not _HOST.fullmatch(value):
            raise ValueError("Write the host alone, such as github.example.com.")
        return value

    @field_validator("api_url")
    @classmethod
    def _safe_address(cls, value: str) -> str:
        value = value.strip().rstrip("/")
        if value and (problem := address_problem(value)):
            raise ValueError(problem)
        return value


GITHUB = GitHubHost(host="github.com")
LEAST_PULL_S = 5


Density = Literal["comfortable", "compact"]
ReadingWidth = Literal["narrow", "usual", "wide", "full"]


class Appearance(Frozen):
    """The appearance of the window. `theme`: system, light, dark, or the name of a file of colours (gone: it looks
    light). `language`: `system` is that of the desktop. `zoom`: percent. `reading`: how wide rows of a chat become.
    `text_font`, `code_font`: families, "" for the system's own; `text_size`, `code_size`: in pixels at 100 %, the
    latter 0 where it follows the text."""

    theme: str = Field(default="system", pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    language: Literal["system", "en", "de"] = "system"
    zoom: int = Field(default=100, ge=80, le=200)
    density: Density = "comfortable"
    reading: ReadingWidth = "usual"
    text_font: str = Field(default="", max_length=100)
    text_size: int = Field(default=13, ge=11, le=16)
    code_font: str = Field(default="", max_length=100)
    code_size: int = Field(default=0, ge=0, le=18)


class Settings(Frozen):
    """All settings of the person. `max_attempts`: tries per model request; `limits`: hard stops, where a chat has none
    of its own; `guest_models`: by agent of others, the endpoint that it asks without its key, "" for its own sign-in;
    `guests`: by the same, what else is set for it; `turns_at_once`: how many chats work at the same time;
    `deliver_queued`: when messages that wait are handed over; `require_checkpoint`: no call changes files that could
    not be kept first; `try_risky`: commands of high risk, and those that cannot be read, are tried in a copy as soon as
    their card is open; `subagents`: agents may begin others; `upstream_proxy`: the person's own proxy, through which
    named hosts are reached; `upstream_names`: it is given names and no addresses; `subagent_depth`: how deep they stand
    below a chat of a person; `lane_prefix`: what the branches of lanes begin with; `auto_rebase`: lanes are put on
    their base when it moves; `shell`: the program of terminals, "" for the person's own; `pull_every_s`: how often a
    pull request on screen is asked for, 0: only when a person says so; `editor`: the words that open a file, with
    {path} and {line} in them, () for one that is found; `browser`: the program that pictures of pages are taken with,
    "" for one that is found; `computer_use`: agents may take pictures and attach proofs; `memory`: agents remember, and
    what they did is looked up before a turn; `memory_agents_search`: only a search by the agent itself lets it change
    things; `memory_words`: what projects add to the words that say what a prompt asks of the memory;
    `memory_embeddings`: the id of a service and a model of it, by which what a search of the memory found is put in
    order, "" for none; `web`: what agents may ask the web for; `hooks_off`: hooks that are switched off, `person:` or
    the id of a project before the id of the hook; `default_agent`: who carries out new chats of a window, `own` or the
    id of a guest; `look_for_releases`: once a day the build's own address is asked whether there is a newer version."""

    endpoints: tuple[Endpoint, ...] = (ANTHROPIC_ENDPOINT,)
    default_endpoint: str = "anthropic"
    default_mode: Literal[PermissionMode.PLAN, PermissionMode.EDIT] = PermissionMode.EDIT
    enter_sends: bool = True
    max_attempts: int = Field(default=5, ge=1, le=10)
    limits: Limits = Limits()
    turns_at_once: int = Field(default=8, ge=1, le=16)
    guest_models: dict[str, str] = Field(default_factory=dict)
    guests: dict[str, GuestSettings] = Field(default_factory=dict)
    default_agent: str = Field(default=OWN_DRIVER, max_length=40)
    deliver_queued: Literal["after_step", "after_turn"] = "after_step"
    require_checkpoint: bool = False
    try_risky: bool = False
    upstream_proxy: str = ""
    upstream_names: bool = False
    auto_compact: bool = True
    subagents: bool = True
    subagent_depth: int = Field(default=1, ge=1, le=DEEPEST)
    appearance: Appearance = Appearance()
    notifications: NotificationSettings = NotificationSettings()
    recent_projects: tuple[str, ...] = ()
    lanes_root: str = ""
    lane_prefix: str = BRANCH_PREFIX
    auto_rebase: bool = False
    shell: str = ""
    editor: tuple[str, ...] = ()
    pull_every_s: int = Field(default=60, ge=0, le=1800)
    browser: str = ""
    computer_use: bool = True
    memory: bool = True
    memory_agents_search: bool = False
    memory_words: tuple[OwnWords, ...] = ()
    memory_embeddings: str = ""
    hooks_off: tuple[str, ...] = ()
    databases: tuple[DatabaseConnection, ...] = ()
    github: tuple[GitHubHost, ...] = (GITHUB,)
    web: WebSettings = WebSettings()
    look_for_releases: bool = False

    @field_validator("endpoints")
    @classmethod
    def _unique_endpoints(cls, value: tuple[Endpoint, ...]) -> tuple[Endpoint, ...]:
        ids = [endpoint.id for endpoint in value]
        if len(set(ids)) != len(ids) or DEMO_ENDPOINT.id in ids:
            raise ValueError("each endpoint needs an id of its own, and 'demo' is taken")
        return value

    @field_validator("limits")
    @classmethod
    def _limits_that_work(cls, value: Limits) -> Limits:
        if problem := limits_problem(value):
            raise ValueError(problem)
        return value

    @field_validator("databases")
    @classmethod
    def _unique_databases(cls, value: tuple[DatabaseConnection, ...]) -> tuple[DatabaseConnection, ...]:
        if len({connection.name for connection in value}) != len(value):
            raise ValueError("each database needs a name of its own")
        return value

    @field_validator("pull_every_s")
    @classmethod
    def _not_all_the_time(cls, value: int) -> int:
        if 0 < value < LEAST_PULL_S:
            raise ValueError(f"at least {LEAST_PULL_S} seconds, or 0 for never")
        return value

    @field_validator("github")
    @classmethod
    def _unique_hosts(cls, value: tuple[GitHubHost, ...]) -> tuple[GitHubHost, ...]:
        if len({one.host for one in value}) != len(value):
            raise ValueError("each GitHub host stands there once")
        return value if any(one.host == GITHUB.host for one in value) else (GITHUB, *value)

    @field_validator("lane_prefix")
    @classmethod
    def _begins_a_branch(cls, value: str) -> str:
        value = value.strip()
        if problem := prefix_problem(value):
            raise ValueError(problem)
        return value

    @field_validator("upstream_proxy")
    @classmethod
    def _place_of_a_proxy(cls, value: str) -> str:
        value = value.strip().rstrip("/")
        if value and not _PROXY.fullmatch(value):
            raise ValueError("Give http://, a host and a port, such as http://proxy.example:3128, or nothing.")
        return value

    @field_validator("memory_embeddings")
    @classmethod
    def _service_and_model(cls, value: str) -> str:
        words = value.split()
        if len(words) not in (0, 2) or len(value) > MOST_EMBEDDINGS:
            raise ValueError("Give the id of a service and a model of it, such as: openai text-embedding-3-small.")
        return " ".join(words)

    @field_validator("lanes_root")
    @classmethod
    def _whole_path(cls, value: str) -> str:
        value = value.strip()
        if value and not PurePath(value).is_absolute():
            raise ValueError("Give the whole path of a folder, from the root, or nothing for the usual folder.")
        return value

    @field_validator("browser")
    @classmethod
    def _whole_path_of_a_browser(cls, value: str) -> str:
        if value and not PurePath(value).is_absolute():
            raise ValueError("Give the whole path of a browser, such as /usr/bin/chromium, or nothing: one is found.")
        return value

    @field_validator("shell")
    @classmethod
    def _whole_program(cls, value: str) -> str:
        value = value.strip()
        if value and not PurePath(value).is_absolute() and not value.startswith("~/"):
            raise ValueError("Give the whole path of a shell, such as /bin/zsh, or nothing for your own shell.")
        return value

    @field_validator("editor", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        """A command line as a person writes it, or its words."""
        if isinstance(value, str):
            try:
                return tuple(shlex.split(value))
            except ValueError as error:
                raise ValueError("A quotation mark in the editor's command is not closed.") from error
        return value

    def endpoint(self, endpoint_id: str) -> Endpoint | None:
        """The endpoint of that id; the demo is always there. None: there is no such endpoint."""
        for endpoint in (*self.endpoints, DEMO_ENDPOINT):
            if endpoint.id == endpoint_id:
                return endpoint
        return None

    def database(self, name: str) -> DatabaseConnection | None:
        """The database connection of that name. None: there is no such connection."""
        return next((connection for connection in self.databases if connection.name == name), None)

    def words_of(self, project: str) -> OwnWords:
        """What the project at this path adds to the words that say what a prompt asks of the memory."""
        return next((one for one in self.memory_words if one.project == project), NO_WORDS)

    def with_words(self, words: OwnWords) -> tuple[OwnWords, ...]:
        """`memory_words` with these in place of those of the same project."""
        others = tuple(one for one in self.memory_words if one.project != words.project)
        return (*others, words) if words.changes or words.asks else others

    def github_host(self, host: str) -> GitHubHost | None:
        """The GitHub of that host. None: no GitHub is known there."""
        return next((one for one in self.github if one.host == host), None)

    def with_recent(self, path: str) -> Self:
        """These settings with `path` first among the recent projects, at most ten."""
        others = tuple(p for p in self.recent_projects if p != path)
        return self.model_copy(update={"recent_projects": (path, *others)[:10]})
