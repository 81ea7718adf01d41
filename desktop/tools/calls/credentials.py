"""The calls that tools make to the engine about secrets, and what they get: names of secrets, never a value of one."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.credentials.names import header_problem, name_problem
from desktop.domain.credentials.values import Credential
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.policy.call_facts import SecretFact
from desktop.services.processes.given_secrets import GivenSecrets
from desktop.tools.tool import ToolContext

Ask = Callable[[InputRequest], Awaitable[Answer]]


class CredentialDeclined(BanksmanError):
    """A person gave no secret. `note`: their words; `stop_turn`: they want the turn to end."""

    def __init__(self, note: str, *, stop_turn: bool) -> None:
        super().__init__(note)
        self.note = note
        self.stop_turn = stop_turn


class SecretUse(BaseModel):
    """One secret that a command is to be given."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    secret: str = Field(default="", max_length=60, description="secret:<id> as request_credential gave it.")
    env: str | None = Field(default=None, max_length=64, description="The variable that holds the value.")
    file: str | None = Field(
        default=None, max_length=64, description="The variable that holds the path of a file with the value."
    )
    skill: str = Field(
        default="", max_length=64, description="Instead of these: a loaded skill, for a command that it asks for."
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> "SecretUse":
        if self.skill:
            if self.secret or self.env or self.file:
                raise ValueError("a skill says itself which secrets it wants, and as what")
            return self
        if not self.secret:
            raise ValueError("give secret, or skill")
        if (self.env is None) == (self.file is None):
            raise ValueError("give one of env and file")
        if problem := name_problem(self.name):
            raise ValueError(problem)
        return self

    @property
    def name(self) -> str:
        """The name of the variable; of a skill, what stands for all of its own."""
        return self.env or self.file or f"those of the skill {self.skill}"


class HeaderUse(BaseModel):
    """One secret that a request is to be sent with."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    secret: str = Field(max_length=60, description="secret:<id> as request_credential gave it.")
    header: str = Field(default="Authorization", max_length=64, description="The header that holds it.")
    prefix: str = Field(
        default="", max_length=20, pattern=r"^[A-Za-z0-9._:= -]*$", description='Before the value, as "Bearer ".'
    )

    @field_validator("header")
    @classmethod
    def _may_hold_it(cls, header: str) -> str:
        if problem := header_problem(header):
            raise ValueError(problem)
        return header


class WantedCredential(Frozen):
    """A secret as the agent asks for it: see the tool."""

    provider: str
    label: str = ""
    why: str = ""
    placeholder: str = ""
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    skill: str = ""
    secret: str = ""


class ChatCredentials(Protocol):
    """The secrets that a chat may ask to use."""

    def facts(self, uses: Iterable[SecretUse], /) -> tuple[SecretFact, ...]:
        """The facts of a call that would use these.

        Raises:
            BanksmanError: one of them is not there, or not under this name.
        """

    def header_fact(self, use: HeaderUse, host: str, port: int, /) -> SecretFact:
        """The fact of a request that would be sent with a secret.

        Raises:
            BanksmanError: it is not there, or may not be sent to this host.
        """

    async def header(self, call_id: str, fact: SecretFact, /) -> SecretStr:
        """The secret for a request that a person allowed; the use is on record then.

        Raises:
            BanksmanError: it is not there any more, or fits in no header.
        """

    def names_in(self, text: str, /) -> tuple[str, ...]:
        """What the secrets are called that stand in a text in any of their usual spellings."""

    async def request(self, call_id: str, wanted: WantedCredential, ask: Ask, /) -> Credential:
        """The record of what a person typed on a card.

        Raises:
            CredentialDeclined: they gave none.
        """

    async def given(self, call_id: str, secrets: tuple[SecretFact, ...], /) -> GivenSecrets:
        """What a command is given that a person allowed; the use is on record then.

        Raises:
            BanksmanError: one of them is not there any more, so that the command gets none of them.
        """


def chat_credentials(ctx: ToolContext) -> ChatCredentials:
    """The secrets of a chat, for a tool that works without any too.

    Raises:
        ToolError: it has none.
    """
    return ctx.offer(ChatCredentials)
