"""Provider: one model request, streamed. A provider never retries, runs tools, logs content or knows sessions."""

from collections.abc import AsyncGenerator
from functools import cached_property
from typing import Any, Literal, Protocol

from pydantic import JsonValue, SkipValidation

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage, ThinkingLevel
from desktop.domain.updates import ModelInfo
from desktop.providers.clean import clean_text, clean_value, json_bytes

FailureCategory = Literal[
    "overloaded",
    "rate_limited",
    "timeout",
    "server",
    "context_overflow",
    "auth",
    "permission",
    "billing",
    "not_found",
    "too_large",
    "bad_request",
    "not_an_api",
    "network",
    "tls",
]


class ToolSchema(Frozen):
    """One tool as the model is told of it. `input_schema`: JSON schema of an object."""

    name: str
    description: str
    input_schema: dict[str, JsonValue]

    @cached_property
    def wire_json(self) -> bytes:
        """The tool as it stands in a body. Made once, as the tools stay the same from request to request."""
        schema = clean_value(self.input_schema)
        return json_bytes({"name": self.name, "description": clean_text(self.description), "input_schema": schema})


class Request(Frozen):
    """One model request. `messages`: the reconstructed list, taken as it is and never changed; `tools`: sorted by name;
    `cache`: send cache markers; `purpose`: a step of a turn, the summary of a conversation, the message of
    a commit; `resumes`: the service paused in its answer, the last message, and goes on with it; `searches`: how often
    it may search the web by itself for this answer."""

    model: str
    system: str
    messages: SkipValidation[list[dict[str, Any]]]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int = 8192
    thinking: ThinkingLevel = "off"
    cache: bool = False
    purpose: Literal["step", "summary", "message"] = "step"
    resumes: bool = False
    searches: int = 0


class TextDelta(Frozen):
    """New text of one part."""

    part_index: int
    text: str


class ThinkingDelta(Frozen):
    """New thinking text of one part."""

    part_index: int
    text: str


class ToolInputDelta(Frozen):
    """New text of a call's input, for display only."""

    part_index: int
    tool: str
    text: str


class VendorPart(Frozen):
    """One part, whole, of what the service itself did for its answer: a call of a tool of its own, or the result."""

    part_index: int
    part: dict[str, JsonValue]


Delta = TextDelta | ThinkingDelta | ToolInputDelta | VendorPart | AssistantMessage


class Failure(Frozen):
    """Why a request failed. `wait_s`: the least time the service asks to wait. `message`: at most 2,000 characters,
    keys redacted."""

    category: FailureCategory
    retryable: bool
    wait_s: float = 0.0
    message: str = ""
    http_status: int | None = None
    error_type: str = ""
    request_id: str = ""


class ProviderError(BanksmanError):
    """A request failed. `partial`: parts whose text had arrived, None if none; `usage`: what was already counted."""

    def __init__(
        self, failure: Failure, *, partial: AssistantMessage | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(failure.message or failure.category)
        self.failure = failure
        self.partial = partial
        self.usage = usage or Usage()


class Provider(Protocol):
    """A model service at one endpoint."""

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Deltas as they come, then exactly one AssistantMessage, last. Closing the iterator closes the connection.

        The message has `parts`, `stop_reason`, `usage`, `model` and `request_id` set; ids of message and turn are the
        caller's. A call whose input is not a JSON object has the text as its `input` (a string), to be refused.

        Raises:
            ProviderError: the request failed, at any moment.
        """
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """The models the endpoint lists, () if it lists none. Raises ProviderError."""
        ...

    async def close(self) -> None:
        """Free the connections."""
        ...
