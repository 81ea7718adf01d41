"""A repository's Git settings that changed while a chat is open: what a card shows of it, and what a person accepts for
the chat (gate-S16): no watching, no putting back."""

from pathlib import Path

from desktop.agent.core.session import Session
from desktop.domain.core.base import Frozen
from desktop.domain.core.content import DiffBlock
from desktop.domain.gate.pending import GIT_SETTINGS_KEY, GrantOffer
from desktop.domain.gate.redaction import Redactor
from desktop.policy.call_facts import CallFacts
from desktop.policy.shell.read.git import GIT_CHANGED
from desktop.services.git.config import exec_fault, settings_diff, settings_sha256

_COVERS = "Commands that only read with git, while its settings are as shown here, until this chat is closed."


class GitChange(Frozen):
    """What changed, a block for each place, and what accepting it would be called in the log."""

    blocks: tuple[DiffBlock, ...]
    key: str
    grant: GrantOffer | None


def settings_in_force(session: Session) -> str | None:
    """The settings with which git reads of this chat need no asking: those it was opened with, or those that a person
    accepted if they are the present ones. None: not known."""
    accepted = any(key.startswith(GIT_SETTINGS_KEY) for key in session.session_grants)
    if session.lane is None or session.git_sha256 is None or not accepted:
        return session.git_sha256
    now = settings_sha256(Path(session.lane.worktree_path))
    return now if GIT_SETTINGS_KEY + now in session.session_grants else session.git_sha256


def settings_now(session: Session, facts: CallFacts) -> str:
    """What the settings are, for a command that asks because of them; "" for every other."""
    return settings_sha256(Path(session.lane.worktree_path)) if session.lane is not None and _asks(facts) else ""


def git_change(session: Session, facts: CallFacts) -> GitChange | None:
    """What a card says of settings that changed; None where they are not why it asks.

    They can be accepted for the chat only where they are all that keeps the command from being a read, and where none
    of them makes Git run a program.
    """
    now = settings_now(session, facts)
    if not now or session.lane is None or facts.command is None:
        return None
    differences = settings_diff(session.git_sha256 or "", now)
    blocks = tuple(
        DiffBlock(path=place, unified=Redactor().redact(unified).text, added=added, removed=removed)
        for place, unified, added, removed in differences
    )
    alone = all(command.proven or command.reason == GIT_CHANGED for command in facts.command.simple)
    safe = alone and bool(blocks) and not exec_fault(Path(session.lane.worktree_path))
    grant = GrantOffer(scope="session", covers=_COVERS) if safe else None
    return GitChange(blocks=blocks, key=GIT_SETTINGS_KEY + now, grant=grant)


def _asks(facts: CallFacts) -> bool:
    verdict = facts.command
    return verdict is not None and any(command.reason == GIT_CHANGED for command in verdict.simple)
