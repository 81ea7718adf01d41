"""From a session to one model request. Two requests from the same log are equal byte for byte."""

import asyncio
import json
import platform
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.providers.instructions import PromptFiles
from desktop.agent.providers.opened import read_aside
from desktop.agent.providers.prompt import OfferedTool, PromptInput, build_prompt
from desktop.agent.providers.sent_messages import SentMessages
from desktop.config.settings import Endpoint
from desktop.domain.chats.library_events import PromptChanged
from desktop.domain.core.errors import CommandError
from desktop.domain.events import AssistantMessage, UserMessage
from desktop.domain.history.picked import picked
from desktop.providers.aside import MANY, aside
from desktop.providers.base import Request, ToolSchema
from desktop.providers.kinds import kind_of
from desktop.providers.request_faults import MessageCheck
from desktop.providers.wire import SEARCH_TOOL
from desktop.store.core.blobs import BlobStore
from desktop.tools.tool import Tool

_PLATFORMS = {"Linux": "Linux", "Darwin": "macOS", "Windows": "Windows"}


def system_prompt(
    session: Session,
    tools: tuple[Tool[Any], ...],
    *,
    interactive: bool,
    sections: tuple[str, ...] = (),
    instructions: str = "",
) -> str:
    """The prompt for this session now; `sections`: what themes add; `instructions`: the text of the project's own."""
    lane, first = session.lane, session.state.created_at or session.now()
    return build_prompt(
        PromptInput(
            mode=session.mode,
            interactive=interactive,
            tools=tuple(OfferedTool(name=tool.name, guidance=tool.guidance) for tool in tools),
            lane=lane.name if lane is not None else "",
            branch=lane.branch if lane is not None else "",
            base=lane.base_ref if lane is not None else "",
            primary=session.state.primary,
            platform=_PLATFORMS.get(platform.system(), "Linux"),
            day=first.date().isoformat(),
            sections=sections,
            instructions=instructions,
        )
    )


class RequestBuilder:
    """Makes the requests of all sessions; what a message became is kept, so that only new ones cost anything."""

    def __init__(
        self,
        blobs: BlobStore,
        sections: Callable[[Session], Iterable[str]] = lambda session: (),
        *,
        interactive: bool,
    ) -> None:
        self._blobs = blobs
        self._sections = sections
        self._interactive = interactive
        self._sent: WeakKeyDictionary[Session, SentMessages] = WeakKeyDictionary()
        self._checks: WeakKeyDictionary[Session, MessageCheck] = WeakKeyDictionary()
        self._loaded: WeakKeyDictionary[Session, PromptFiles] = WeakKeyDictionary()
        self._schemas: dict[str, tuple[Tool[Any], ToolSchema]] = {}

    async def begin(self, session: Session) -> None:
        """Read a chat that was opened, on a worker thread if it is long: its first request then holds up no other."""
        await read_aside(session)
        if session not in self._loaded:
            self._loaded[session] = await PromptFiles.of(session)

    async def build(self, session: Session, tools: tuple[Tool[Any], ...], endpoint: Endpoint) -> Request:
        """The next request: prompt and tools offered now, and the conversation rebuilt from the log (sessions-SP1).

        Two requests from the same log are equal byte for byte.

        Raises:
            CommandError: `invalid_request`, as `sendable`.
        """
        sent = self._sent.get(session)
        if sent is None:
            sent = self._sent[session] = SentMessages(self._blobs)
            forget = (partial(kept.pop, session, None) for kept in (self._sent, self._checks))
            session.at_hand.on_rest += forget
        loaded = self._loaded.setdefault(session, PromptFiles())
        loaded.catch_up(session)
        system = system_prompt(
            session,
            tools,
            interactive=self._interactive,
            sections=tuple(self._sections(session)),
            instructions=loaded.text(self._blobs),
        )
        thinking, messages = await sent.messages(session, reads_images=endpoint.images != "off")
        caching = endpoint.caching == "on" or (endpoint.caching == "auto" and kind_of(endpoint).caches)
        request = Request(
            model=session.state.model,
            system=system,
            messages=messages,
            tools=await self._told(tools),
            max_tokens=endpoint.max_output_tokens,
            thinking=thinking,
            cache=caching,
            resumes=is_paused(session),
        )
        return await self._checked(session, request)

    async def _checked(self, session: Session, request: Request) -> Request:
        """As `sendable`. Many messages are looked at with a check of their own: that of a request which was stopped
        may still be at work on its thread."""
        check = self._checks.get(session, MessageCheck())
        unseen = check.unseen(request.messages)
        if unseen > MANY:
            check = MessageCheck()
        await aside(unseen, partial(sendable, request, check))
        self._checks[session] = check
        return request

    async def _told(self, tools: tuple[Tool[Any], ...]) -> tuple[ToolSchema, ...]:
        """The tools as the model is told of them, sorted by name. Each is made once, unless another has its name, and
        those that are new on a worker thread: a schema takes a millisecond, and a first request has thirty."""
        known = self._schemas
        new = [tool for tool in tools if tool.name not in known or known[tool.name][0] is not tool]
        if new:
            known |= await asyncio.to_thread(_described, new)
        return tuple(known[name][1] for name in sorted(tool.name for tool in tools))


def _described(tools: list[Tool[Any]]) -> dict[str, tuple[Tool[Any], ToolSchema]]:
    found = ((one, ToolSchema(name=one.name, description=one.description, input_schema=one.schema)) for one in tools)
    return {tool.name: (tool, told) for tool, told in found}


def sendable(request: Request, check: MessageCheck | None = None) -> Request:
    """The request itself; `check` knows what was sent of its conversation before.

    Everything that is sent came through here. What a service refuses once it refuses for ever, however often a person
    tries again, so it is said before, in words that lead on.

    Raises:
        CommandError: `invalid_request`: the messages are none that a service takes.
    """
    fault = (check or MessageCheck()).fault(request.messages, resumes=request.resumes)
    if fault:
        raise CommandError(
            "invalid_request",
            f"The model was not asked: no service takes this conversation, because {fault}. Go back to an earlier "
            "message, or fork the chat there.",
        )
    return request


def is_paused(session: Session) -> bool:
    """Whether the last answer is one in which the service paused, and nothing was said since."""
    answers = picked(reversed(session.log), AssistantMessage, UserMessage)
    last = next((event for _, event in answers), None)
    return isinstance(last, AssistantMessage) and last.stop_reason == "pause_turn"


def record_prompt(session: Session, request: Request, blobs: BlobStore) -> None:
    """Store prompt and tool schemas when they differ from the last ones, so that the request can be rebuilt later."""
    if session.last_prompt == (request.system, request.tools, request.searches):
        return
    own: list[dict[str, JsonValue]] = [{**SEARCH_TOOL, "max_uses": request.searches}] if request.searches else []
    listed = [*own, *(tool.model_dump() for tool in request.tools)]
    schemas = json.dumps(listed, sort_keys=True, separators=(",", ":"))
    system = blobs.put(request.system.encode(), "text/plain", lazy=True)
    tools = blobs.put(schemas.encode(), "application/json", lazy=True)
    names = (*(str(tool["name"]) for tool in own), *(tool.name for tool in request.tools))
    session.append(PromptChanged(system=system, tools=tools, tool_names=names), lazy=True)
    session.last_prompt = (request.system, request.tools, request.searches)
