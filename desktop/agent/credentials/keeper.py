"""CredentialKeeper: keeps what people type on cards for secrets, gives it to the commands they allow, takes it back."""

import asyncio
import secrets as randomness
from collections.abc import Callable, Iterable
from datetime import datetime

from pydantic import SecretStr

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.credentials.mounts import SkillSecrets
from desktop.agent.gate.descent import asker_of
from desktop.agent.gate.inputs import SECRET, PendingInputs
from desktop.agent.gate.open_cards import OpenCards
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.credentials import commands as c
from desktop.domain.credentials.events import CredentialEdited, CredentialRevoked, CredentialStored, CredentialUsed
from desktop.domain.credentials.names import name_problem
from desktop.domain.credentials.updates import CredentialsChanged, Holder, KeyringLooked
from desktop.domain.credentials.values import Credential, Ended, expiry, id_in, value_problem
from desktop.domain.gate.pending import Answer, CredentialRequest
from desktop.policy.call_facts import SecretFact
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed, is_allowed
from desktop.records import dataclass
from desktop.services.credentials.book import CredentialBook
from desktop.services.processes.given_secrets import GivenSecrets, HeldSecrets
from desktop.tools.calls.credentials import Ask, CredentialDeclined, HeaderUse, SecretUse, WantedCredential

STILL_KEPT = "The system keyring did not give it up: remove banksman, {} there."
_ENDED = {"removed": "was removed", "expired": "has expired", "closed": "was kept until Banksman closed"}


@dataclass(frozen=True)
class Cards:
    """The open cards: `inputs` of all kinds, `open` judges approvals again."""

    inputs: PendingInputs
    open: OpenCards


class CredentialKeeper:
    """Engine thread only."""

    def __init__(
        self,
        sessions: Sessions,
        settings: SettingsKeeper,
        book: CredentialBook,
        cards: Cards,
        publish: Publish,
        clock: Callable[[], datetime],
    ) -> None:
        self._sessions, self._settings, self._entries = sessions, settings, settings.keys.entries
        self.book, self._cards = book, cards
        self._publish, self._clock = publish, clock
        self.skills = SkillSecrets(book)
        self._ending: asyncio.Task[None] | None = None

    def handlers(self) -> dict[type[Command], Handler]:
        """What a person does with secrets."""
        return {
            c.StoreCredential: self._store,
            c.RevokeCredential: self._revoke,
            c.LoadCredentials: self._load,
            c.LookAtKeyring: self._look,
        }

    async def _look(self, command: c.LookAtKeyring) -> None:
        problem = await self._entries.look()
        told = KeyringLooked(command_id=command.command_id, input_id=command.input_id, problem=problem)
        self._publish(told)

    async def _store(self, command: c.StoreCredential) -> None:
        """Put it on record, keep what was typed, and answer the card with its id. A value is never in the keyring
        before its record is in the book: nobody could see or remove it."""
        session, request = self._sessions.get(command.session_id), self._request(command)
        value = command.value.get_secret_value()
        if problem := record_problem(command) or value_problem(value):
            raise CommandError("credential", problem)
        record = _record(command, request, session, self._clock())
        self.book.put(record)
        try:
            await self._entries.keep(record.id, "", value, lasting=command.kept != "closed")
            self._request(command)
            record = record.model_copy(update={"place": self._entries.place(record.id)})
            self._settings.know_secrets()
            self.book.put(record)
            session.append(_stored(record, request, command.input_id))
        except BaseException:
            await self._end(record, "removed")
            raise
        if request is not None:
            answer = Answer(outcome="answered", choices={SECRET: (record.id,)})
            self._cards.inputs.resolve(command.session_id, command.input_id, answer, digest="")
        self.tell(command.command_id)

    def _request(self, command: c.StoreCredential) -> CredentialRequest | None:
        """What its card asks, None where a person keeps it unasked. Raises CommandError: the card is closed."""
        return self._cards.inputs.credential(command.session_id, command.input_id) if command.input_id else None

    async def _revoke(self, command: c.RevokeCredential) -> None:
        """Forget it everywhere; texts are still cleaned of it until the program ends."""
        record = self.book.get(command.secret_id)
        if record is None:
            raise CommandError("credential", "There is no such secret any more. Look at the list again.")
        await self._end(record, "removed")
        for session in self._sessions.opened():
            if session.session_id == record.session_id or any(record.id in one.ids for one in _holding(session)):
                session.record(CredentialRevoked(secret_id=record.id, label=record.title))
        self._cards.open.judge_again("rule")
        self.tell(command.command_id)
        if self._entries.may_be_in_keyring(record.id):
            raise CommandError("keyring", f"{record.title} cannot be used any more. {STILL_KEPT.format(record.id)}")

    async def _load(self, command: c.LoadCredentials) -> None:
        await self._end_expired()
        self.tell(command.command_id)

    def begin_ending(self) -> None:
        """Take out of the keyring what has expired, soon."""
        if (self._ending is None or self._ending.done()) and self.book.expired():
            self._ending = asyncio.create_task(self._end_expired(), name="expired secrets")

    async def close(self) -> None:
        """What was begun is over."""
        if self._ending is not None:
            await asyncio.wait({self._ending})

    async def _end_expired(self) -> None:
        for record in self.book.expired():
            await self._end(record, "expired")

    async def _end(self, record: Credential, why: Ended) -> None:
        """One that expired and that the keyring did not give up is tried again later."""
        await self._entries.forget(record.id, still_known=True)
        if why != "expired" or not self._entries.may_be_in_keyring(record.id):
            self.book.end(record, why)

    def tell(self, command_id: str = "") -> None:
        """How all secrets stand now, and who holds one."""
        holders = [
            Holder(secret_id, session.session_id, held.shell_id, held.command)
            for session in self._sessions.opened()
            for held in _holding(session)
            for secret_id in held.ids
        ]
        self._publish(
            CredentialsChanged(
                credentials=self.book.live(),
                holders=tuple(holders),
                keyring_problem=self._entries.problem,
                command_id=command_id,
            )
        )

    # For the tools of one chat

    def facts(self, session: Session, uses: Iterable[SecretUse]) -> tuple[SecretFact, ...]:
        """See `ChatCredentials`."""
        return tuple(self._fact(session, use) for use in self.skills.spelled_out(session, uses))

    def _fact(self, session: Session, use: SecretUse) -> SecretFact:
        record = self._usable(session, id_in(use.secret), use.secret)
        if record.names and use.name not in record.names:
            raise BanksmanError(f"{record.handle} may be given as {' or '.join(record.names)} only, not {use.name}.")
        return SecretFact(
            secret_id=record.id, title=record.title, way="file" if use.env is None else "env", name=use.name
        )

    def header_fact(self, session: Session, use: HeaderUse, host: str, port: int) -> SecretFact:
        """See `ChatCredentials`."""
        record = self._usable(session, id_in(use.secret), use.secret)
        allowed = [found for one in record.hosts if isinstance(found := check_allowed(one), AllowedHost)]
        if not is_allowed(host, port, tuple(allowed)):
            where = " or ".join(record.hosts) or "no host"
            raise BanksmanError(f"{record.handle} may be sent to {where}, not to {host} at port {port}.")
        return SecretFact(secret_id=record.id, title=record.title, way="header", name=use.header, host=host)

    async def header(self, session: Session, call_id: str, fact: SecretFact) -> SecretStr:
        """See `ChatCredentials`."""
        given = await self._values(session, (fact,))
        value = given[fact.secret_id].get_secret_value().strip()
        if not value.isascii() or not value.isprintable():
            raise BanksmanError(f"secret:{fact.secret_id} has several lines or odd letters, so no header can hold it.")
        self._use(session, call_id, (fact,))
        return SecretStr(value)

    def names_in(self, text: str) -> tuple[str, ...]:
        """See `ChatCredentials`."""
        return self._settings.redactor.known_in(text)

    def _usable(self, session: Session, secret_id: str, handle: str) -> Credential:
        record = self.book.get(secret_id)
        if record is None or record.project_id != session.state.project_id:
            raise BanksmanError(f"There is no {handle[:60]!r}. Ask for a secret with request_credential.")
        if record.ended:
            self.begin_ending()
            raise BanksmanError(f"{record.handle} {_ENDED[record.ended]}.")
        return record

    async def request(self, session: Session, call_id: str, wanted: WantedCredential, ask: Ask) -> Credential:
        """See `ChatCredentials`."""
        asker, (tainted, _reasons) = asker_of(session), session.taint
        bound = self.skills.wanted(session, wanted.skill, wanted.secret) if wanted.skill else None
        request = CredentialRequest(call_id=call_id, asker=asker, tainted=tainted, **wanted.model_dump())
        if bound is not None:
            update = {"names": (bound[0].variable,), "kept": self.skills.to_choose(session)}
            request = request.model_copy(update=update)
        answer = await ask(request)
        record = self.book.get("".join(answer.choices.get(SECRET, ())))
        if answer.outcome != "answered" or record is None:
            raise CredentialDeclined(answer.note, stop_turn=answer.stop_turn)
        if bound is not None:
            record = self.skills.bind(record, *bound)
            told = {"skill": wanted.skill, "secret": wanted.secret, "names": record.names, "hosts": record.hosts}
            session.append(CredentialEdited(secret_id=record.id, label=record.title, **told))
        return record

    async def given(self, session: Session, call_id: str, wanted: tuple[SecretFact, ...]) -> GivenSecrets:
        """See `ChatCredentials`."""
        values = await self._values(session, wanted)
        self._use(session, call_id, wanted)
        by_way = {way: {f.name: values[f.secret_id] for f in wanted if f.way == way} for way in ("env", "file")}
        return GivenSecrets(by_way["env"], by_way["file"], tuple(values))

    async def _values(self, session: Session, wanted: tuple[SecretFact, ...]) -> dict[str, SecretStr]:
        """By id. Raises BanksmanError: one of them is not there any more."""
        values: dict[str, SecretStr] = {}
        for fact in wanted:
            record = self._usable(session, fact.secret_id, f"secret:{fact.secret_id}")
            entry = await self._entries.entry(record.id)
            if entry is None:
                raise BanksmanError(f"{record.handle} is not in the keyring any more.")
            values[fact.secret_id] = SecretStr(entry[1])
        for fact in wanted:  # a person may have removed one while another was read
            self._usable(session, fact.secret_id, f"secret:{fact.secret_id}")
        self._settings.know_secrets()
        return values

    def _use(self, session: Session, call_id: str, wanted: tuple[SecretFact, ...]) -> None:
        """Put the use on record."""
        session.append_many([_used(call_id, fact) for fact in wanted])
        for secret_id in dict.fromkeys(fact.secret_id for fact in wanted):
            self._count(secret_id)
        self.tell()

    def _count(self, secret_id: str) -> None:
        record = self.book.get(secret_id)
        if record is not None:
            self.book.put(record.model_copy(update={"uses": record.uses + 1, "last_used_at": self._clock()}))


@dataclass(frozen=True)
class SessionCredentials:
    """The secrets of one chat, as its tools ask for them (`ChatCredentials`)."""

    keeper: CredentialKeeper
    session: Session

    def facts(self, uses: Iterable[SecretUse], /) -> tuple[SecretFact, ...]:
        """The facts of a call that would use these."""
        return self.keeper.facts(self.session, uses)

    def header_fact(self, use: HeaderUse, host: str, port: int, /) -> SecretFact:
        """The fact of a request that would be sent with a secret."""
        return self.keeper.header_fact(self.session, use, host, port)

    async def header(self, call_id: str, fact: SecretFact, /) -> SecretStr:
        """The secret for a request."""
        return await self.keeper.header(self.session, call_id, fact)

    def names_in(self, text: str, /) -> tuple[str, ...]:
        """What the secrets are called that stand in a text."""
        return self.keeper.names_in(text)

    async def request(self, call_id: str, wanted: WantedCredential, ask: Ask, /) -> Credential:
        """The record of what a person typed on a card."""
        return await self.keeper.request(self.session, call_id, wanted, ask)

    async def given(self, call_id: str, secrets: tuple[SecretFact, ...], /) -> GivenSecrets:
        """What a command is given."""
        return await self.keeper.given(self.session, call_id, secrets)


def record_problem(command: c.StoreCredential | c.EditCredential) -> str:
    """Why a secret cannot be recorded so, "" when it can."""
    if not command.provider.strip():
        return "Say what the secret is for."
    hosts = (found.reason for one in command.hosts if isinstance(found := check_allowed(one), Refused))
    names = (f"{problem}." for name in command.names if (problem := name_problem(name)))
    return next(iter((*hosts, *names)), "")


def _record(
    command: c.StoreCredential, request: CredentialRequest | None, session: Session, now: datetime
) -> Credential:
    return Credential(
        id=f"sec_{randomness.token_hex(6)}",
        provider=command.provider.strip(),
        label=request.label if request is not None else "",
        names=command.names,
        hosts=command.hosts,
        project_id=session.state.project_id,
        project_path=session.state.project_path,
        session_id=session.session_id,
        made_by=session.state.title,
        made_at=now,
        kept=command.kept,
        expires_at=expiry(command.kept, now),
        place="memory" if command.kept == "closed" else "keyring",
    )


def _stored(record: Credential, request: CredentialRequest | None, input_id: str) -> CredentialStored:
    return CredentialStored(
        secret_id=record.id,
        provider=record.provider,
        label=record.label,
        names=record.names,
        hosts=record.hosts,
        kept=record.kept,
        expires_at=record.expires_at,
        place=record.place,
        call_id=request.call_id if request is not None else "",
        input_id=input_id,
    )


def _used(call_id: str, fact: SecretFact) -> CredentialUsed:
    return CredentialUsed(
        secret_id=fact.secret_id, label=fact.title, way=fact.way, name=fact.name, host=fact.host, call_id=call_id
    )


def _holding(session: Session) -> tuple[HeldSecrets, ...]:
    return session.processes.holding() if session.processes is not None else ()
