"""CredentialEdits: what a person changes of a secret that is kept: what it is for, as what and where it may go."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.sessions import Sessions
from desktop.agent.credentials.keeper import Cards, CredentialKeeper, record_problem
from desktop.agent.gate.inputs import SECRET
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.credentials import commands as c
from desktop.domain.credentials.events import CredentialEdited
from desktop.domain.credentials.values import Credential
from desktop.domain.gate.pending import Answer


class CredentialEdits:
    """Engine thread only. No value is read, shown or changed."""

    def __init__(self, keeper: CredentialKeeper, sessions: Sessions, cards: Cards) -> None:
        self._keeper, self._sessions, self._cards = keeper, sessions, cards

    def handlers(self) -> dict[type[Command], Handler]:
        """What a person changes of secrets that are kept."""
        return {c.EditCredential: self._edit, c.ChooseCredential: self._choose}

    async def _edit(self, command: c.EditCredential) -> None:
        """It holds from the next use on; open cards are judged again."""
        record = self._live(command.secret_id)
        if problem := record_problem(command):
            raise CommandError("credential", problem)
        provider = command.provider.strip()
        edited = record.model_copy(update={"provider": provider, "names": command.names, "hosts": command.hosts})
        self._keeper.book.put(edited)
        event = CredentialEdited(secret_id=edited.id, label=edited.title, names=edited.names, hosts=edited.hosts)
        if self._sessions.knows(record.session_id):
            self._sessions.get(record.session_id).record(event)
        self._cards.open.judge_again("rule")
        self._keeper.tell(command.command_id)

    async def _choose(self, command: c.ChooseCredential) -> None:
        """Answer the card of a skill's secret with one that is kept."""
        request = self._cards.inputs.credential(command.session_id, command.input_id)
        record = self._live(command.secret_id)
        if not request.skill or record.project_id != self._sessions.get(command.session_id).state.project_id:
            raise CommandError("credential", "This secret cannot be chosen here.")
        answer = Answer(outcome="answered", choices={SECRET: (record.id,)})
        self._cards.inputs.resolve(command.session_id, command.input_id, answer, digest="")
        self._keeper.tell(command.command_id)

    def _live(self, secret_id: str) -> Credential:
        record = self._keeper.book.get(secret_id)
        if record is None or record.ended:
            raise CommandError("credential", "There is no such secret any more. Look at the list again.")
        return record
