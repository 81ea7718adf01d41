"""Boundary: what a person said that an agent must not do, as rules that hold."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.gate.rules import Rule

BoundaryState = Literal["proposed", "kept"]
MOST_READ = 20_000
"""So many characters of a message are read for boundaries."""


class Boundary(Frozen):
    """One boundary as it was found in a text. `quote`: the person's words, at `span`; `action`: what it is about, a
    word of the lexicon; `title`: for people; `rules`: what refuses or asks, of this chat; `limit_microusd`: what the
    chat may cost at most, 0 for no limit."""

    quote: str
    span: tuple[int, int]
    action: str
    title: str
    rules: tuple[Rule, ...]
    limit_microusd: int = 0


class Lifting(Frozen):
    """Words that would let an agent do something again that a boundary forbids; they lift nothing by themselves."""

    quote: str
    span: tuple[int, int]
    action: str


class ChatBoundary(Frozen):
    """A boundary of a chat. `rules` hold while it is proposed; once it is kept, rules of its scope hold instead.
    `lifting`: later words of a person that would lift it, "" for none. `by_agent`: an agent found the words, so that it
    holds only once it is kept. `until`: when it ends by itself, None for never."""

    boundary_id: str
    quote: str
    action: str
    title: str
    rules: tuple[Rule, ...]
    state: BoundaryState = "proposed"
    lifting: str = ""
    by_agent: bool = False
    limit_microusd: int = 0
    since: datetime | None = None
    until: datetime | None = None

    @property
    def holds(self) -> bool:
        """Whether its own rules refuse and ask now."""
        return self.state == "proposed" and not self.by_agent
