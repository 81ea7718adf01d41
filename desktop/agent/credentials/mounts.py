"""What skills want of secrets, and which of those that a person bound a call made for one is given (memory-CR9)."""

from collections.abc import Iterable, Iterator

from desktop.agent.core.session import Session
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.listeners import Voices
from desktop.domain.credentials.values import MOST_USES, Credential
from desktop.domain.gate.pending import KeptSecret
from desktop.domain.skills.values import SecretMount, SkillMounts
from desktop.services.credentials.book import CredentialBook
from desktop.tools.calls.credentials import SecretUse

MountsOf = Voices[[Session, str], SkillMounts]


class SkillSecrets:
    """Engine thread only. `of` gives what a skill that a chat has loaded wants."""

    def __init__(self, book: CredentialBook) -> None:
        self.of = MountsOf()
        self._book = book

    def spelled_out(self, session: Session, uses: Iterable[SecretUse]) -> tuple[SecretUse, ...]:
        """The uses with those of skills in the place of their skills. Raises BanksmanError: one is not bound yet."""
        uses = tuple(uses)
        if not any(use.skill for use in uses):
            return uses
        spelled = [one for use in uses for one in self._of_use(session, use)]
        if len(spelled) > MOST_USES:
            raise BanksmanError(f"A command is given at most {MOST_USES} secrets.")
        if len({use.name for use in spelled}) < len(spelled):
            raise BanksmanError("Two secrets have the same variable.")
        return tuple(spelled)

    def wanted(self, session: Session, skill_id: str, name: str) -> tuple[SecretMount, str]:
        """How a skill wants a secret of that name, and what it is bound under. Raises BanksmanError: it wants none."""
        mounts = self._mounts(session, skill_id)
        found = next((one for one in mounts.mounts if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in mounts.mounts) or "no secret"
            raise BanksmanError(f"The skill {skill_id} wants no secret '{name}'. It wants: {names}.")
        return found, _key(mounts, name)

    def to_choose(self, session: Session) -> tuple[KeptSecret, ...]:
        """The secrets that a person could bind instead of typing a new one."""
        own = (one for one in self._book.live() if one.project_id == session.state.project_id)
        return tuple(KeptSecret(secret_id=one.id, title=one.title) for one in own)

    def bind(self, record: Credential, mount: SecretMount, key: str) -> Credential:
        """From now on a call for the skill is given this secret, and no other of the repository."""
        for other in self._book.live():
            if key in other.bound and other.project_id == record.project_id and other.id != record.id:
                self._book.put(other.model_copy(update={"bound": tuple(one for one in other.bound if one != key)}))
        names = (*record.names, mount.variable) if record.names else ()
        update = {"bound": tuple(dict.fromkeys((*record.bound, key))), "names": tuple(dict.fromkeys(names))}
        bound = record.model_copy(update=update)
        self._book.put(bound)
        return bound

    def _of_use(self, session: Session, use: SecretUse) -> Iterator[SecretUse]:
        if not use.skill:
            yield use
            return
        mounts = self._mounts(session, use.skill)
        if not mounts.mounts:
            raise BanksmanError(f"The skill {use.skill} wants no secret.")
        for mount in mounts.mounts:
            record = self._bound(session, _key(mounts, mount.name))
            if record is None:
                raise BanksmanError(
                    f"The skill {use.skill} wants its secret '{mount.name}', which nobody has bound. Ask once with "
                    f"request_credential, skill '{use.skill}' and secret '{mount.name}'."
                )
            env, file = (mount.variable, None) if mount.way == "env" else (None, mount.variable)
            yield SecretUse(secret=record.handle, env=env, file=file)

    def _bound(self, session: Session, key: str) -> Credential | None:
        live = self._book.live()
        return next((one for one in live if key in one.bound and one.project_id == session.state.project_id), None)

    def _mounts(self, session: Session, skill_id: str) -> SkillMounts:
        found = next((one for one in self.of(session, skill_id) if one.place), None)
        if found is None:
            raise BanksmanError(f"Load the skill {skill_id} with use_skill first.")
        return found


def _key(mounts: SkillMounts, name: str) -> str:
    """A skill by its place, so that another one of its name is not given what it was."""
    return f"{mounts.place}:{name}"
