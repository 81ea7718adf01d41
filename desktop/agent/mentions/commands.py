"""MentionCommands: what can be named with an `@`: files, folders, lanes, chats, proofs, symbols and agents."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.mentions.places import LaneNames
from desktop.domain.chats.commands import FindMentions
from desktop.domain.chats.mentions import MentionKind, mention_text, short_name
from desktop.domain.chats.updates import MentionRow, MentionsFound
from desktop.domain.core.command import Command
from desktop.domain.core.work import SessionSummary
from desktop.domain.events import ToolCallFinished
from desktop.domain.history.picked import picked
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.values import Proof
from desktop.domain.skills.values import AgentFile
from desktop.services.files.name_index import NameIndex, Ranked
from desktop.store.core.proofs import ProofStore
from desktop.tools.text import one_line

MOST_ROWS = 24
MOST_FILES, MOST_OTHERS, MOST_RECENT = 8, 4, 8
_LOOKED_AT = 200


class MentionCommands:
    """Engine thread; what takes milliseconds is searched aside."""

    def __init__(
        self,
        sessions: Sessions,
        ground: Ground,
        names: LaneNames,
        proofs: ProofStore,
        publish: Publish,
        agents: Callable[[Session], Mapping[str, AgentFile]],
    ) -> None:
        """`agents`: by name, those that a chat can begin."""
        self._sessions, self._ground, self._names = sessions, ground, names
        self._proofs, self._publish, self._agents = proofs, publish, agents

    def handlers(self) -> dict[type[Command], Handler]:
        """See `Commands`."""
        return {FindMentions: self._find}

    async def _find(self, command: FindMentions) -> None:
        session = self._sessions.get(command.session_id) if command.session_id else None
        folder = self._folder(session)
        kind, query = command.kind, command.query.strip()
        symbols = kind == "symbol"
        if folder:
            self._names.look(folder, symbols=symbols, opening=not query)
        more = bool(folder) and self._names.is_reading(folder, symbols=symbols)
        rows: list[MentionRow] = []
        if kind in ("", "file", "folder") and folder:
            rows += await self._files(session, folder, query, kind)
        if kind in ("", "lane"):
            rows += _named(query, map(_lane_row, self._lanes()), _most(kind))
        if kind in ("", "chat") and (query or kind):
            rows += _named(query, map(_chat_row, self._chats(command.session_id)), _most(kind))
        if kind in ("", "agent") and (query or kind):
            rows += _named(query, map(_agent_row, self._agents_of(session)), _most(kind))
        if kind in ("", "proof") and (query or kind):
            rows += _named(query, map(_proof_row, self._proofs_of(session)), _most(kind))
        if (symbols or (not kind and query)) and folder:
            found = await asyncio.to_thread(self._names.symbols, folder, query, _most(kind))
            rows += [_symbol_row(one.name) for one in found]
        self._publish(MentionsFound(command_id=command.command_id, rows=tuple(rows[:MOST_ROWS]), more=more))

    async def _files(self, session: Session | None, folder: str, query: str, kind: str) -> list[MentionRow]:
        if not query and kind != "folder" and session is not None:
            recent = [path for path in _touched(session) if self._names.knows(folder, path)]
            if recent:
                return [_path_row(path) for path in recent]
        most = MOST_ROWS if kind else MOST_FILES
        found: Sequence[Ranked] = await asyncio.to_thread(
            self._names.files, folder, query, most * (1 if query else 2), folders=kind != "file", files=kind != "folder"
        )
        names = [one.name for one in found]
        return [_path_row(name) for name in (names if query else sorted(names, key=_is_hidden))][:most]

    def _folder(self, session: Session | None) -> str:
        if session is not None:
            return str(session.files.root) if session.files is not None else ""
        project = self._ground.project()
        return project.path if project is not None else ""

    def _lanes(self) -> list[Lane]:
        project = self._ground.project()
        lanes = self._ground.lanes.of_project(project.id) if project is not None else []
        return [lane for lane in lanes if lane.type != "primary"]

    def _chats(self, but: str) -> list[SessionSummary]:
        project = self._ground.project()
        chats = self._sessions.summaries(project.id).sessions if project is not None else ()
        return [chat for chat in chats if chat.session_id != but and not chat.archived]

    def _agents_of(self, session: Session | None) -> list[AgentFile]:
        """A chat that is not there yet has none to show; named in its first message they are known all the same."""
        return sorted(self._agents(session).values(), key=lambda one: one.name) if session is not None else []

    def _proofs_of(self, session: Session | None) -> Sequence[Proof]:
        return self._proofs.of_lane(session.state.lane_id) if session is not None and session.state.lane_id else ()


def _is_hidden(path: str) -> bool:
    """Such as .env, which nobody means first."""
    return any(part.startswith(".") for part in path.split("/"))


def _most(kind: str) -> int:
    return MOST_ROWS if kind else MOST_OTHERS


def _touched(session: Session) -> list[str]:
    """The files that the agent changed last, the newest first."""
    found: dict[str, None] = {}
    for looked, (_, event) in enumerate(picked(reversed(session.log), ToolCallFinished)):
        found |= dict.fromkeys(file.path for file in event.touched if file.kind != "delete")
        if len(found) >= MOST_RECENT or looked >= _LOOKED_AT:
            break
    return [*found][:MOST_RECENT]


def _named(query: str, rows: Iterable[MentionRow], most: int) -> Iterator[MentionRow]:
    """The rows whose title or detail fit."""
    by_words = {f"{row.title}\n{row.detail}\n{row.text}": row for row in rows}
    if not query:
        yield from [*by_words.values()][:most]
        return
    for name in NameIndex(by_words, "\n").search(query, most):
        yield by_words[name]


def _path_row(path: str) -> MentionRow:
    folder, _, name = path.rstrip("/").rpartition("/")
    is_folder = path.endswith("/")
    kind: MentionKind = "folder" if is_folder else "file"
    return MentionRow(kind, mention_text(kind, path), f"{name}/" if is_folder else name, folder)


def _lane_row(lane: Lane) -> MentionRow:
    return MentionRow("lane", mention_text("lane", lane.name), lane.name, lane.branch)


def _chat_row(chat: SessionSummary) -> MentionRow:
    name = mention_text("chat", short_name(chat.title, chat.session_id))
    return MentionRow("chat", name, chat.title, chat.lane_name)


def _proof_row(proof: Proof) -> MentionRow:
    name = mention_text("proof", short_name(proof.title, proof.id))
    return MentionRow("proof", name, proof.title, proof.captured_at.astimezone().isoformat(timespec="minutes"))


def _agent_row(agent: AgentFile) -> MentionRow:
    return MentionRow("agent", mention_text("agent", agent.name), agent.name, one_line(agent.description, 200))


def _symbol_row(name: str) -> MentionRow:
    path, _, symbol = name.rpartition("#")
    return MentionRow("symbol", mention_text("symbol", name), symbol, path)
