"""From a session to one model request. Two requests from the same log are equal byte for byte."""

import json
import platform
from typing import Any
from weakref import WeakKeyDictionary

from desktop.agent.instructions import LoadedInstructions, instruction_text
from desktop.agent.prompt import OfferedTool, PromptInput, build_prompt
from desktop.agent.sent_messages import SentMessages
from desktop.agent.session import Session
from desktop.config.settings import Endpoint
from desktop.domain.events import PromptChanged
from desktop.providers.base import Request, ToolSchema
from desktop.store.blob_store import BlobStore
from desktop.tools.tool import Tool

_PLATFORMS = {"Linux": "Linux", "Darwin": "macOS", "Windows": "Windows"}


def tool_schemas(tools: tuple[Tool[Any], ...]) -> tuple[ToolSchema, ...]:
    """The tools as the model is told of them, sorted by name."""
    ordered = sorted(tools, key=lambda tool: tool.name)
    return tuple(ToolSchema(name=tool.name, description=tool.description, input_schema=tool.schema) for tool in ordered)


def system_prompt(session: Session, tools: tuple[Tool[Any], ...], *, interactive: bool, instructions: str = "") -> str:
    """The prompt for this session now; `instructions`: the text of the project's own."""
    lane, first = session.lane, session.state.created_at or session.now()
    return build_prompt(
        PromptInput(
            mode=session.state.mode,
            interactive=interactive,
            tools=tuple(OfferedTool(name=tool.name, guidance=tool.guidance) for tool in tools),
            lane=lane.name if lane is not None else "",
            branch=lane.branch if lane is not None else "",
            base=lane.base_ref if lane is not None else "",
            primary=session.state.primary,
            platform=_PLATFORMS.get(platform.system(), "Linux"),
            day=first.date().isoformat(),
            instructions=instructions,
        )
    )


class RequestBuilder:
    """Makes the requests of all sessions; what a message became is kept, so that only new ones cost anything."""

    def __init__(self, blobs: BlobStore, *, interactive: bool) -> None:
        self._blobs = blobs
        self._interactive = interactive
        self._sent: WeakKeyDictionary[Session, SentMessages] = WeakKeyDictionary()
        self._loaded: WeakKeyDictionary[Session, LoadedInstructions] = WeakKeyDictionary()

    async def build(self, session: Session, tools: tuple[Tool[Any], ...], endpoint: Endpoint) -> Request:
        """The next request: prompt and tools offered now, and the conversation rebuilt from the log (sessions-SP1).

        Two requests from the same log are equal byte for byte.
        """
        sent = self._sent.get(session)
        if sent is None:
            sent = self._sent[session] = SentMessages(self._blobs)
        loaded = self._loaded.setdefault(session, LoadedInstructions())
        loaded.catch_up(session)
        instructions = instruction_text(loaded.in_prompt, self._blobs.get)
        thinking, messages = await sent.messages(session, reads_images=endpoint.images != "off")
        caching = endpoint.caching == "on" or (endpoint.caching == "auto" and endpoint.kind == "anthropic")
        return Request(
            model=session.state.model,
            system=system_prompt(session, tools, interactive=self._interactive, instructions=instructions),
            messages=messages,
            tools=tool_schemas(tools),
            max_tokens=endpoint.max_output_tokens,
            thinking=thinking,
            cache=caching,
        )


def record_prompt(session: Session, request: Request, blobs: BlobStore) -> None:
    """Store prompt and tool schemas when they differ from the last ones, so that the request can be rebuilt later."""
    schemas = json.dumps([tool.model_dump() for tool in request.tools], sort_keys=True, separators=(",", ":"))
    if session.last_prompt == (request.system, schemas):
        return
    system = blobs.put(request.system.encode(), "text/plain")
    tools = blobs.put(schemas.encode(), "application/json")
    session.append(PromptChanged(system=system, tools=tools, tool_names=tuple(tool.name for tool in request.tools)))
    session.last_prompt = (request.system, schemas)
