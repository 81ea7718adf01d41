"""AgentBook: agents that the person and the repository describe in files, and which of them count (memory-SU20)."""

from pathlib import Path
from typing import Literal

from desktop.domain.skills.values import AgentFile, Fault
from desktop.records import dataclass
from desktop.services.skills.agent_files import read_agent
from desktop.services.skills.named_files import MarkdownFiles
from desktop.store.gate.trust import ContentTrust, content_sha256

REPOSITORY_AGENTS = ((".banksman", "agents"), (".claude", "agents"))
MOST_TEXT = 1_000_000
TOO_MUCH = "The agents of this repository say more together than anybody can look at: over 1,000,000 characters."
AgentState = Literal["on", "hidden", "fault", "review"]


@dataclass(frozen=True)
class BookedAgent:
    """An agent and how it stands. `why`: it is not on, a sentence."""

    said: AgentFile | Fault
    scope: Literal["person", "repository"]
    state: AgentState
    why: str = ""


@dataclass(frozen=True)
class BookedAgents:
    """All agents from files, a person's first. `repository_sha256`: what trusting the repository's binds."""

    agents: tuple[BookedAgent, ...] = ()
    repository_sha256: str = ""
    trusted: bool = False

    @property
    def usable(self) -> tuple[AgentFile, ...]:
        """Those that count."""
        return tuple(one.said for one in self.agents if one.state == "on" and isinstance(one.said, AgentFile))


class AgentBook:
    """`own`: the person's folder of settings. Reads whenever it is asked; what did not change is not read again. All of
    it takes a moment."""

    def __init__(self, own: Path, trust: ContentTrust) -> None:
        self._own = own
        self._trust = trust
        self._files = MarkdownFiles(read_agent)

    def booked(self, project_id: str, root: Path | None) -> BookedAgents:
        """All agents from files of a chat that works in this lane of the project; None: it has none."""
        own = self._files.below(self._own, ("agents",))
        shared = self._files.below(root, *REPOSITORY_AGENTS) if root is not None else []
        agents = [_booked(one.said, "person", trusted=True) for one in own]
        if sum(len(one.said.text) for one in shared if isinstance(one.said, AgentFile)) > MOST_TEXT:
            agents += [BookedAgent(one.said, "repository", "fault", TOO_MUCH) for one in shared]
            return BookedAgents(tuple(agents))
        sha256 = content_sha256({one.path: one.sha256.encode() for one in shared if one.sha256})
        trusted = self._trust.is_trusted(project_id, sha256)
        agents += [_booked(one.said, "repository", trusted=trusted) for one in shared]
        return BookedAgents(tuple(_hidden(agents)), sha256, trusted)


def _booked(said: AgentFile | Fault, scope: Literal["person", "repository"], *, trusted: bool) -> BookedAgent:
    if isinstance(said, Fault):
        return BookedAgent(said, scope, "fault", str(said))
    if not trusted:
        return BookedAgent(said, scope, "review", "Nobody trusts the agents of this repository as they are.")
    return BookedAgent(said, scope, "on")


def _hidden(agents: list[BookedAgent]) -> list[BookedAgent]:
    seen: dict[str, str] = {}
    result: list[BookedAgent] = []
    for one in agents:
        if not isinstance(one.said, AgentFile):
            result.append(one)
        elif one.said.name in seen:
            result.append(BookedAgent(one.said, one.scope, "hidden", f"Hidden by {seen[one.said.name]}."))
        else:
            seen[one.said.name] = one.said.path
            result.append(one)
    return result
