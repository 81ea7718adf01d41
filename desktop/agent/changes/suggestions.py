"""SuggestionCommands: asks the chat's model once for the message of a commit, when a person orders it."""

import asyncio

from desktop.agent.context.summarise import SummaryFailed, asked
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish, Session
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import MessageSuggested
from desktop.domain.context.events import SideAnswered
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane
from desktop.providers.base import Request
from desktop.services.changes.commit_prompt import SYSTEM, commit_prompt, message_in

ANSWER_TOKENS = 600
LIMIT_S = 60.0
PURPOSE = "commit_message"


class SuggestionCommands:
    """All on the engine thread."""

    def __init__(self, ground: Ground, publish: Publish, files_of: FilesOf, chats: ChatWork) -> None:
        self._chats = chats
        self._ground = ground
        self._publish = publish
        self._files_of = files_of

    def handlers(self) -> dict[type[Command], Handler]:
        """One question."""
        return {c.SuggestMessage: self._suggest}

    async def _suggest(self, command: c.SuggestMessage) -> None:
        lane = self._ground.lane(command.lane_id)
        answer = MessageSuggested(command_id=command.command_id, lane_id=lane.id)
        try:
            text = await self._asked(lane, self._session(lane, command.session_id), command)
        except BanksmanError as error:
            answer = answer.model_copy(update={"problem": str(error)})
        else:
            answer = answer.model_copy(update={"text": text})
        self._publish(answer)

    def _session(self, lane: Lane, session_id: str) -> Session:
        if session_id:
            return self._chats.sessions.get(session_id)
        open_ones = [one for one in self._chats.sessions.in_lane(lane.id) if one.state.head_seq >= 0]
        if not open_ones:
            raise SummaryFailed("Open a chat of this lane: its model writes the message.")
        return max(open_ones, key=lambda one: one.last_at)

    async def _asked(self, lane: Lane, session: Session, command: c.SuggestMessage) -> str:
        """Raises BanksmanError with a sentence."""
        if not command.picked:
            raise SummaryFailed("Nothing is ticked.")
        session.check_recorded()
        await self._chats.turns.may_ask(session)
        files = self._files_of(lane)
        prompt = await asyncio.to_thread(commit_prompt, files, command.picked, session.state.title)
        redacted = self._chats.settings.redactor.redact(prompt).text
        request = Request(
            model=session.state.model,
            system=SYSTEM,
            messages=[{"role": "user", "content": [{"type": "text", "text": redacted}]}],
            max_tokens=ANSWER_TOKENS,
            purpose="message",
        )
        found = await asked(session, self._chats.settings, request, attempts=1, limit_s=LIMIT_S)
        text = message_in(found.text)
        session.record(
            SideAnswered(
                purpose=PURPOSE, model=request.model, text=text, usage=found.usage, cost_microusd=found.cost_microusd
            )
        )
        if not text:
            raise SummaryFailed("The model gave no message. Write it yourself, or ask again.")
        return text
