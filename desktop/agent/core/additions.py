"""Additions: what themes add to what the model of a chat is sent, beside the tools and the prompt of the program."""

from collections.abc import Awaitable
from dataclasses import field
from typing import Any

from desktop.agent.core.session import Session
from desktop.domain.core.listeners import Voices
from desktop.records import dataclass
from desktop.tools.tool import Tool


@dataclass(frozen=True)
class Additions:
    """Made before the judge and the requests, which ask it, and before the themes, which add to it."""

    before_request: Voices[[Session, str], Awaitable[None]] = field(default_factory=Voices)
    tools: Voices[[Session], tuple[Tool[Any], ...]] = field(default_factory=Voices)
    prompt: Voices[[Session], str] = field(default_factory=Voices)
