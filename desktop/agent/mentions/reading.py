"""MentionReader: what the mentions of a message bring to the model, each as the gate would let it be read."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from desktop.agent.chats.named import NOTHING, Named
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.calls.clean import clean_result
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.judge import Judge, nobody, nothing
from desktop.agent.gate.taint import taints
from desktop.agent.mentions.digest import chat_digest, lane_digest
from desktop.agent.mentions.places import LaneNames
from desktop.domain.chats.mentions import MOST_GIVEN, NAMED_HEAD, Mention, MentionGiven, meant, mentions_in, short_name
from desktop.domain.core.ids import new_id
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import Event
from desktop.domain.gate.events import SessionTainted
from desktop.domain.guests.values import guest_of
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.proofs.values import Proof
from desktop.domain.skills.values import AgentFile
from desktop.records import dataclass
from desktop.services.git.symbols import defined_in
from desktop.services.pictures.scaling import PictureError, fitting_picture
from desktop.store.core.blobs import BlobStore
from desktop.store.core.proofs import ProofStore
from desktop.tools.text import clip, count_words
from desktop.tools.tool import ToolError, ToolResult
from desktop.tools.untrusted import untrusted

READ, LIST, TASK = "read_file", "list_dir", "task"
MOST_CHARS = 100_000
"""All mentions of one message together; what comes after is named only."""
MOST_LINES, SYMBOL_LINES, MOST_LISTED = 800, 60, 200
ASKS = "named only: reading it asks"
_TEXT_PROOF_CHARS = 20_000


@dataclass(frozen=True)
class _One:
    """What one mention brings: text, pictures, and `words` for people; `given` False: it was only named. `title`: what
    people call it, where they did not write that."""

    text: str
    words: str
    images: tuple[JsonValue, ...] = ()
    given: bool = True
    title: str = ""


@dataclass(frozen=True)
class Beside:
    """What can be named beside files. `statuses`: how a lane stands, None while it is not known; `agents`: by name, the
    agents that a chat can begin."""

    statuses: Callable[[str], LaneStatus | None]
    agents: Callable[[Session], Mapping[str, AgentFile]]


_REFUSED = _One("It may not be read.", "named only: it may not be read", given=False)


class MentionReader:
    """Engine thread. Reads no more than the agent could without asking: a file is read as `read_file` reads it, and one
    that would be asked about is only named, so that the agent's own call brings the card."""

    def __init__(
        self,
        sessions: Sessions,
        ground: Ground,
        names: LaneNames,
        judge: Judge,
        kept: tuple[ProofStore, BlobStore],
        beside: Beside,
    ) -> None:
        self._sessions, self._ground, self._names, self._judge = sessions, ground, names, judge
        self._proofs, self._blobs = kept
        self._beside = beside

    async def read(self, session: Session, text: str) -> Named:
        """What the mentions in this text bring; nothing for words that name nothing. A guest is given no more than its
        own program asks for: it has links to files, and reads them itself."""
        if "@" not in text or guest_of(session.state.endpoint_id) or session.files is None:
            return NOTHING
        texts: list[str] = []
        images: list[JsonValue] = []
        given: list[MentionGiven] = []
        left = MOST_CHARS
        for mention in mentions_in(text):
            if len(given) >= MOST_GIVEN:
                break
            one = await self._one(session, mention)
            if one is None:
                continue
            if len(one.text) > left:
                one = replace(one, text="It is too long to be given with this message.", images=(), given=False)
                one = replace(one, words="named only: too long")
            left -= len(one.text)
            texts.append(f"{mention.written.strip()}\n{one.text}")
            images += one.images
            named = {"written": mention.written.strip(), "title": one.title}
            given.append(MentionGiven(words=one.words, given=one.given, **named))
        if not given:
            return NOTHING
        told = "\n\n".join([NAMED_HEAD, *texts])
        return Named(({"type": "text", "text": told}, *images), tuple(given))

    async def _one(self, session: Session, mention: Mention) -> _One | None:
        ways: dict[str, Callable[[Session, str], Awaitable[_One | None]]] = {
            "lane": self._lane,
            "chat": self._chat,
            "proof": self._proof,
            "symbol": self._symbol,
            "agent": self._agent,
        }
        one = await ways.get(mention.kind, self._path)(session, mention.name)
        return await self._agent(session, mention.name) if one is None and not mention.kind else one

    async def _agent(self, session: Session, name: str) -> _One | None:
        """An agent is not begun by naming it: the model is told who is meant, and begins it as ever."""
        if name not in self._beside.agents(session):
            return None
        if not any(tool.name == TASK for tool in self._judge.offered(session)):
            return _One("This chat can begin no sub-agents.", "named only: this chat begins no sub-agents", given=False)
        return _One(f'The sub-agent {name} is meant: begin it with {TASK}, agent "{name}".', "the sub-agent")

    async def _path(self, session: Session, name: str) -> _One | None:
        """A file or a folder; None where nothing has that name."""
        assert session.files is not None
        facts = await asyncio.to_thread(session.files.resolve, name, "read")
        if facts.kind == "dir" and facts.verdict == "inside" and not facts.deny:
            return await self._folder(session, name, facts.rel)
        if facts.kind != "file":
            return None
        return await self._file(session, name, 1, MOST_LINES)

    async def _folder(self, session: Session, name: str, rel: str) -> _One:
        """Its files, where listing it would not be asked about."""
        assert session.files is not None
        prepared = self._judge.judge(session, new_id("men_"), LIST, {"path": name})
        if held := self._held(session, prepared, LIST):
            return held
        folder = str(session.files.root)
        await self._names.ready(folder)
        prefix = "" if rel in ("", ".") else f"{rel.rstrip('/')}/"
        below = await asyncio.to_thread(self._names.below, folder, prefix)
        listed = below[:MOST_LISTED]
        rest = [f"… and {len(below) - len(listed):,} more; list_dir shows them."] if len(below) > len(listed) else []
        words = count_words(len(below), "file")
        return _One("\n".join([f"A folder with {words}:", *listed, *rest]), words)

    async def _file(self, session: Session, name: str, offset: int, limit: int) -> _One:
        """Read as the tool reads it, where that would not be asked about."""
        call_id = new_id("men_")
        prepared = self._judge.judge(session, call_id, READ, {"file_path": name, "offset": offset, "limit": limit})
        tool, args = prepared.tool, prepared.args
        if held := self._held(session, prepared, READ):
            return held
        if tool is None or args is None or prepared.facts is None:
            return _REFUSED
        context = self._judge.context(session, call_id, nobody, nothing, judged=prepared.facts)
        try:
            result: ToolResult = await tool.run(args, context)
        except ToolError as error:
            return _One(str(error), error.summary or "it cannot be read", given=False)
        result, secrets = clean_result(result, self._judge.redactor(), self._blobs)
        marks: list[Any] = taints(session, prepared, secrets, result.untrusted)
        if marks:
            session.append_many(marks)
        return _One(result.text, result.summary, tuple(self._kept(one) for one in result.images))

    def _held(self, session: Session, prepared: Prepared, tool: str) -> _One | None:
        """What stands in the place of what the agent could not read without asking; None: it could."""
        if prepared.refusal:
            return _REFUSED
        if prepared.decision.verdict is not Verdict.ALLOW or self._judge.hooks.concern(session):
            return _One(f"Not given: reading it is decided when you call {tool}.", ASKS, given=False)
        return None

    def _kept(self, image: JsonValue) -> JsonValue:
        """A picture whose bytes stand beside the log."""
        source = image.get("source") if isinstance(image, dict) else None
        if not isinstance(source, dict):
            return image
        return self._picture(base64.b64decode(str(source.get("data", ""))), str(source.get("media_type", "")))

    def _picture(self, data: bytes, media_type: str) -> JsonValue:
        ref = self._blobs.put(data, media_type)
        kept: JsonValue = {"$blob": ref.sha256, "form": "base64", "media_type": ref.media_type, "size": ref.size}
        return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": kept}}

    async def _symbol(self, session: Session, name: str) -> _One | None:
        path, mark, symbol = name.rpartition("#")
        assert session.files is not None
        if not mark or (await asyncio.to_thread(session.files.resolve, path, "read")).kind != "file":
            return None
        probe = await self._file(session, path, 1, 2_000)
        if not probe.given:
            return probe
        text = "\n".join(line.partition("\t")[2] for line in probe.text.splitlines()[1:])
        found = next((one for one in defined_in(path, text) if one.name == symbol), None)
        if found is None:
            return _One(f"{path} defines no {symbol} now.", f"{path} defines it no more", given=False)
        place = f"{path}:{found.line}"
        shown = await self._file(session, path, found.line, SYMBOL_LINES)
        return replace(shown, text=f"{symbol} is defined at {place}.\n{shown.text}", words=place)

    async def _lane(self, session: Session, name: str) -> _One | None:
        lane = next((one for one in self._lanes(session) if one.name == name), None)
        if lane is None:
            return None
        project = session.state.project_id
        chats = [one.title for one in self._sessions.summaries(project).sessions if one.lane_id == lane.id]
        status = self._beside.statuses(lane.id)
        words = f"branch {lane.branch}" if lane.branch else "no branch"
        return _One(untrusted(f"lane:{lane.name}", lane_digest(lane, status, chats)), words)

    def _lanes(self, session: Session) -> list[Lane]:
        return self._ground.lanes.of_project(session.state.project_id)

    async def _chat(self, session: Session, name: str) -> _One | None:
        """A digest of another chat, marked as text of others; what that one has read counts as read here too."""
        is_meant = meant(name)
        listed = self._sessions.summaries(session.state.project_id).sessions
        found = [one for one in listed if is_meant(one.session_id) and one.session_id != session.session_id]
        if len(found) != 1:
            return None
        source = f"chat:{short_name(found[0].title, found[0].session_id)}"
        other = await self._read_there(session, found[0].session_id, source)
        return _One(untrusted(source, chat_digest(other, found[0])), "a digest of that chat", title=found[0].title)

    async def _read_there(self, session: Session, other_id: str, source: str) -> Session:
        """The other chat; what it has read counts as read here from now on."""
        await self._sessions.read_ahead(other_id)
        other = self._sessions.get(other_id)
        _mark(session, source, other.taint[1])
        return other

    async def _proof(self, session: Session, name: str) -> _One | None:
        is_meant = meant(name)
        found = [one for one in self._proofs.of_lane(session.state.lane_id) if is_meant(one.id)]
        if len(found) != 1:
            return None
        proof = found[0]
        source = f"proof:{short_name(proof.title, proof.id)}"
        if proof.session_id and not self._sessions.knows(proof.session_id):
            _mark(session, source, ("untrusted",))
        elif proof.session_id not in ("", session.session_id):
            await self._read_there(session, proof.session_id, source)
        head = f"{proof.kind} of {proof.captured_at:%Y-%m-%d %H:%M} UTC"
        about = untrusted(f"proof:{proof.title}", "\n".join(filter(None, (proof.title, proof.description))))
        data = self._blobs.get(proof.sha256)
        if data is None:
            return _One(f"{head}. Its content is gone.\n{about}", "its content is gone", given=False)
        if proof.is_picture:
            return await self._pictured(proof, data, f"{head}\n{about}")
        if proof.is_text:
            clean = self._judge.redactor().redact(data.decode("utf-8", "replace"))
            for secret in clean.found:
                _mark(session, f"the secret {secret}", ("secret",))
            shown = untrusted(f"proof:{proof.title}", clip(clean.text, _TEXT_PROOF_CHARS))
            return _One(f"{head}\n{about}\n{shown}", f"{len(data):,} bytes of text")
        told = f"{head}, {proof.mime_type}, {len(data):,} bytes. It is not text.\n{about}"
        return _One(told, "named only: it is no text", given=False)

    async def _pictured(self, proof: Proof, data: bytes, text: str) -> _One:
        try:
            small = await asyncio.to_thread(fitting_picture, data)
        except PictureError as error:
            return _One(f"{text}\n{error}", "its picture cannot be read", given=False)
        return _One(text, "the picture", (self._picture(small.data, small.media_type),))


def _mark(session: Session, source: str, reasons: Iterable[str]) -> None:
    """What was read counts as read by this chat; nothing where it does already."""
    marks: list[Event] = [SessionTainted(reason=one, source=source) for one in reasons]
    if marks and source not in session.state.tainted:
        session.append_many(marks)
