"""ModelAside: a chat's model is asked something that does not become part of the chat, within its limits."""

from desktop.agent.context.summarise import Summary, asked
from desktop.agent.core.session import Session
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.gate.redaction import Redactor
from desktop.providers.base import Request

LIMIT_S = 90.0


class ModelAside:
    """Engine thread only."""

    def __init__(self, chats: ChatWork) -> None:
        self._chats = chats

    @property
    def redactor(self) -> Redactor:
        """What takes known secrets out of what is sent."""
        return self._chats.settings.redactor

    def chat(self, session_id: str) -> Session:
        """The chat of this id. Raises CommandError: it is gone."""
        return self._chats.sessions.get(session_id)

    async def ask(self, session: Session, request: Request) -> Summary:
        """What the chat's model answers.

        Raises:
            BanksmanError: a limit is used up, or there is no answer.
        """
        session.check_recorded()
        await self._chats.turns.may_ask(session)
        return await asked(session, self._chats.settings, request, attempts=1, limit_s=LIMIT_S)
