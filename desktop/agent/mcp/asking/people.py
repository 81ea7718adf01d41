"""McpAsking: what a server asks for by itself during a call: answers of people and of models, and its folders.

A server asks in nobody's name: its question is a card of the chat whose call is under way, which names the server.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic import JsonValue

from desktop.agent.mcp.asking.folders import ServerFolders
from desktop.agent.mcp.asking.models import McpSampling
from desktop.domain.gate.pending import Answer, Option, Question, QuestionRequest
from desktop.domain.mcp.values import McpServer
from desktop.late import late
from desktop.policy.mcp.forms import Values, form_of, values_of
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import check_url
from desktop.services.mcp.link import McpHearing
from desktop.tools.tool import ToolContext

if TYPE_CHECKING:
    from mcp.client.context import ClientRequestContext
    from mcp.types import (
        CreateMessageRequestParams,
        CreateMessageResult,
        ElicitRequestParams,
        ElicitResult,
        ErrorData,
        ListRootsResult,
    )

MOST_IN_A_TURN = 3
MOST_TRIES = 3
MOST_MESSAGE = 4_000
INVALID_REQUEST = -32600
NOBODY = "Nobody is asked: no call of a chat is under way in which somebody could answer."
ONE_OPEN = "One question of this server is open already."
OVER = "The call is over."
TOO_MANY = f"No more than {MOST_IN_A_TURN} questions are asked in a turn."
_WENT, _STAYED = "I have been there", "I do not go there"
_CARD_TOLD: Mapping[str, str] = {
    "title": "The server {server} asks",
    "wish": "It wants you to open this address of {host} in your browser:",
    "went": "I have been there",
    "stayed": "I do not go there",
}


class McpAsking:
    """Engine thread only; one for each running server. `folders`: those that it may know of; `turn_of`: the turn that a
    chat is in."""

    def __init__(
        self,
        server: McpServer,
        folders: ServerFolders,
        turn_of: Callable[[str], str],
        sampling: McpSampling,
    ) -> None:
        self._server, self.folders, self._turn_of = server, folders, turn_of
        self._sampling = sampling
        self._calls: list[ToolContext] = []
        self._asked: Counter[str] = Counter()
        self._since: float | None = None
        self._open: tuple[ToolContext, asyncio.Future[Answer]] | None = None
        self._sampled: tuple[ToolContext, asyncio.Future[CreateMessageResult | ErrorData]] | None = None
        self._held_s = 0.0

    @property
    def hearing(self) -> McpHearing:
        """What the server is offered: its folders, if it sees any, and people where somebody switched that on."""
        sees = self._server.is_local and self._server.folder != "none"
        return McpHearing(
            roots=self.roots if sees else None,
            folders=self.folders.look,
            elicitation=self.elicit if self._server.elicits else None,
            sampling=self.sample if self._server.samples else None,
            held_s=self.held_s,
        )

    @contextmanager
    def during(self, call: ToolContext) -> Iterator[None]:
        """A call of a chat is under way: what the server asks for belongs to it."""
        self._calls.append(call)
        try:
            yield
        finally:
            self._calls.remove(call)
            for under_way in (self._open, self._sampled):
                if under_way is not None and under_way[0] is call:
                    under_way[1].cancel()

    def held_s(self) -> float:
        """For how many seconds people were waited for, all in all."""
        return self._held_s + (time.monotonic() - self._since if self._since is not None else 0.0)

    async def roots(self, context: "ClientRequestContext") -> "ListRootsResult":
        """The folders that the server may know of (guests-M27): where it runs, and what a person added."""
        types, listed = late("mcp.types"), await asyncio.to_thread(self.folders.listed)
        roots = [types.Root(uri=folder.as_uri(), name=folder.name) for folder in listed]
        made: ListRootsResult = types.ListRootsResult(roots=roots)
        return made

    async def elicit(
        self, context: "ClientRequestContext", params: "ElicitRequestParams"
    ) -> "ElicitResult | ErrorData":
        """What a person answered, or why nobody was asked."""
        call = self._calls[-1] if self._calls and self._calls[-1].can_ask else None
        turn = self._turn_of(call.session_id) if call is not None else ""
        refusal = NOBODY if call is None else ONE_OPEN if self._since is not None else ""
        if call is None or refusal or self._asked[turn] >= MOST_IN_A_TURN:
            return _refused(refusal or TOO_MANY)
        self._asked[turn] += 1
        self._since = time.monotonic()
        try:
            if params.mode == "url":
                return await self._sent_away(call, params.message, params.url)
            return await self._filled(call, params.message, params.requested_schema)
        finally:
            self._held_s, self._since = self.held_s(), None

    async def sample(
        self, context: "ClientRequestContext", params: "CreateMessageRequestParams"
    ) -> "CreateMessageResult | ErrorData":
        """What the model of the chat says, one request of the server after the other."""
        call = self._calls[-1] if self._calls else None
        refusal = NOBODY if call is None else ONE_OPEN if self._since is not None else ""
        if call is None or refusal:
            return _refused(refusal)
        self._since = time.monotonic()
        asking = asyncio.ensure_future(self._sampling.asked(self._server, call, params, self._put))
        self._sampled = (call, asking)
        try:
            await asyncio.wait({asking})
        finally:
            asking.cancel()
            self._sampled = None
            self._held_s, self._since = self.held_s(), None
        return _refused(OVER) if asking.cancelled() else asking.result()

    async def _filled(
        self, call: ToolContext, message: str, schema: Mapping[str, JsonValue]
    ) -> "ElicitResult | ErrorData":
        fields = form_of(schema)
        if isinstance(fields, Refused):
            return _refused(fields.reason)
        questions, problem = tuple(field.question for field in fields), ""
        for _ in range(MOST_TRIES):
            answer = await self._ask(call, "\n\n".join(filter(None, (problem, message[:MOST_MESSAGE]))), questions)
            if answer.outcome != "answered":
                break
            values = values_of(fields, answer.choices)
            if not isinstance(values, Refused):
                return _result("accept", values)
            problem = values.reason
        return _result("decline" if answer.outcome == "reject" else "cancel")

    async def _sent_away(self, call: ToolContext, message: str, url: str) -> "ElicitResult | ErrorData":
        """Nothing opens by itself: the card shows the whole address, and the person says whether they went there."""
        address = check_url(url)
        if isinstance(address, Refused):
            return _refused(address.reason)
        host = address.host
        spelled = f"{host.name} ({host.shown})" if host.name != host.shown else host.name
        wish = _CARD_TOLD["wish"].format(host=spelled)
        body = f"{message[:MOST_MESSAGE]}\n\n{wish}\n\n{address.text}"
        options = (Option(label=_WENT, value=_WENT), Option(label=_STAYED, value=_STAYED))
        asked = Question(id="went", text=f"Did you open the address of {host.name}?", options=options, freeform=False)
        answer = await self._ask(call, body, (asked,))
        if answer.outcome == "answered":
            return _result("accept" if _WENT in answer.choices.get("went", ()) else "decline")
        return _result("decline" if answer.outcome == "reject" else "cancel")

    async def _ask(self, call: ToolContext, body: str, questions: tuple[Question, ...]) -> Answer:
        title = _CARD_TOLD["title"].format(server=self._server.id)
        request = QuestionRequest(call_id=call.call_id, title=title, body=body, questions=questions, during=True)
        return await self._put(call, request)

    async def _put(self, call: ToolContext, request: QuestionRequest) -> Answer:
        """What the person says; when the call ends meanwhile, the card goes with it."""
        asking = asyncio.ensure_future(call.ask(request))
        self._open = (call, asking)
        try:
            await asyncio.wait({asking})
        finally:
            asking.cancel()
            self._open = None
        return Answer(outcome="cancelled") if asking.cancelled() else asking.result()


def _refused(reason: str) -> "ErrorData":
    made: ErrorData = late("mcp.types").ErrorData(code=INVALID_REQUEST, message=reason)
    return made


def _result(action: str, values: Values | None = None) -> "ElicitResult":
    made: ElicitResult = late("mcp.types").ElicitResult(action=action, content=values)
    return made
