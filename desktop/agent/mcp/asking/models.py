"""McpSampling: a server has the model of a chat asked, where a person switched that on and lets it (guests-M28).

The model is asked in bounds, with the server's words alone and without tools; each time stands in the chat's log with
all that was sent and what it cost.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from desktop.agent.core.session import Session
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import Usage
from desktop.domain.gate.pending import Answer, Option, Question, QuestionRequest
from desktop.domain.gate.redaction import Redactor
from desktop.domain.mcp.events import McpSampled
from desktop.domain.mcp.values import McpServer
from desktop.late import late
from desktop.policy.mcp.sampling import MOST_TOKENS_AN_HOUR, USED_UP, HourlyTokens, Wanted, wanted_of
from desktop.policy.network.hosts import Refused
from desktop.providers.base import Request
from desktop.tools.tool import ToolContext

if TYPE_CHECKING:
    from mcp.types import CreateMessageRequestParams, CreateMessageResult, ErrorData

INVALID_REQUEST = -32600
ONCE, CHAT, NO = "Once", "In this chat", "No"
_CARD_TOLD: Mapping[str, str] = {
    "title": "The server {server} wants to use your model",
    "asks": "It asks {model} without tools, at most {most:,} tokens of answer, at most {hour:,} tokens an hour. "
    "The cost counts in this chat. All that it sends:",
    "system": "As system:",
    "user": "As user:",
    "assistant": "As assistant:",
    "once": "Once",
    "chat": "In this chat",
    "no": "No",
}
TAINTED = "This chat has read what must not leave it or what strangers wrote, so no server asks its model."
DECLINED = "The person declined this."
Ask = Callable[[ToolContext, QuestionRequest], Awaitable[Answer]]


class Answered(Protocol):
    """What a model said, and what it took."""

    @property
    def text(self) -> str:
        """Its words."""

    @property
    def usage(self) -> Usage:
        """The tokens."""

    @property
    def cost_microusd(self) -> int | None:
        """None: nobody knows."""


class ModelOfChat(Protocol):
    """Asks the model of a chat something that does not become part of the chat."""

    @property
    def redactor(self) -> Redactor:
        """What takes known secrets out."""

    def chat(self, session_id: str) -> Session:
        """The chat of this id."""

    def ask(self, session: Session, request: Request) -> Awaitable[Answered]:
        """Raises BanksmanError: a limit is used up, or there is no answer."""


class McpSampling:
    """Engine thread only; one for all servers. A yes for a chat ends with the program, and with another definition of
    the server."""

    def __init__(self, model: ModelOfChat) -> None:
        self._model = model
        self._allowed: set[tuple[str, McpServer]] = set()
        self._took: dict[str, HourlyTokens] = {}

    async def asked(
        self, server: McpServer, call: ToolContext, params: "CreateMessageRequestParams", ask: Ask
    ) -> "CreateMessageResult | ErrorData":
        """What the model said, or why nobody asked it. `call`: that during which the server asks; `ask` puts a card."""
        session = self._model.chat(call.session_id)
        raw = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        wanted = wanted_of(raw)
        took = self._took.setdefault(server.id, HourlyTokens())
        if session.state.tainted:
            wanted = Refused(TAINTED)
        elif isinstance(wanted, Wanted) and not took.has_room(wanted.size, time.monotonic()):
            wanted = Refused(USED_UP)
        elif isinstance(wanted, Wanted) and not await self._is_allowed(server, session, call, wanted, ask):
            wanted = Refused(DECLINED)
        sampled = McpSampled(server=server.id, call_id=call.call_id, model=session.state.model)
        if isinstance(wanted, Refused):
            session.record(sampled.model_copy(update={"refused": wanted.reason}))
            return _refused(wanted.reason)
        return await self._answered(session, sampled, wanted, took)

    async def _answered(
        self, session: Session, sampled: McpSampled, wanted: Wanted, took: HourlyTokens
    ) -> "CreateMessageResult | ErrorData":
        def clean(text: str) -> str:
            return self._model.redactor.redact(text).text

        messages = [
            {"role": role, "content": [{"type": "text", "text": clean(text)}]} for role, text in wanted.messages
        ]
        sampled = sampled.model_copy(update={"system": clean(wanted.system), "messages": tuple(messages)})
        request = Request(
            model=session.state.model,
            system=sampled.system,
            messages=messages,
            max_tokens=wanted.most,
            purpose="message",
        )
        took.take(wanted.size, time.monotonic())
        try:
            found = await self._model.ask(session, request)
        except BanksmanError as error:
            session.record(sampled.model_copy(update={"refused": str(error)}))
            return _refused(str(error))
        used = found.usage.total_input + (found.usage.output or 0)
        took.take(used - wanted.size if used else 0, time.monotonic())
        told = {"text": found.text, "usage": found.usage, "cost_microusd": found.cost_microusd}
        session.record(sampled.model_copy(update=told))
        types = late("mcp.types")
        content = types.TextContent(type="text", text=found.text)
        made: CreateMessageResult = types.CreateMessageResult(
            role="assistant", content=content, model=session.state.model
        )
        return made

    async def _is_allowed(
        self, server: McpServer, session: Session, call: ToolContext, wanted: Wanted, ask: Ask
    ) -> bool:
        if (session.session_id, server) in self._allowed:
            return True
        if not call.can_ask:
            return False
        about = {CHAT: "Until Banksman ends, within the bounds."}
        options = tuple(Option(label=one, value=one, description=about.get(one, "")) for one in (ONCE, CHAT, NO))
        question = Question(id="may", text=f"May {server.id} ask the model?", options=options, freeform=False)
        request = QuestionRequest(
            call_id=call.call_id,
            title=_CARD_TOLD["title"].format(server=server.id),
            body=_card_text(session.state.model, wanted),
            questions=(question,),
            during=True,
        )
        answer = await ask(call, request)
        said = answer.choices.get("may", ()) if answer.outcome == "answered" else ()
        if CHAT in said:
            self._allowed.add((session.session_id, server))
        return bool({ONCE, CHAT} & set(said))


def _card_text(model: str, wanted: Wanted) -> str:
    """All that would be sent, as it is; what a server wrote stands indented, so that it poses as nothing."""
    parts = [_CARD_TOLD["asks"].format(model=model, most=wanted.most, hour=MOST_TOKENS_AN_HOUR)]
    said = [("system", wanted.system)] if wanted.system else []
    for role, text in (*said, *wanted.messages):
        parts.append("\n".join([f"As {role}:", *(f"    {line}" for line in text.splitlines())]))
    return "\n\n".join(parts)


def _refused(reason: str) -> "ErrorData":
    made: ErrorData = late("mcp.types").ErrorData(code=INVALID_REQUEST, message=reason)
    return made
