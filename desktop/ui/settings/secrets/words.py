"""What the settings say of a secret that a person entrusted to agents, and of a command that holds one."""

from collections.abc import Iterable
from datetime import datetime

from desktop.domain.credentials.updates import Holder
from desktop.domain.credentials.values import Credential
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.text.format import age, count, day_and_time

_PLACES = {"keyring": tr("in the system keyring"), "memory": tr("in memory, until Banksman closes")}


def secret_line(record: Credential) -> str:
    """A secret in its list."""
    return display_text(f"{record.title} · {record.handle}")


def holder_line(holder: Holder) -> str:
    """A command in the list, below the secret that it holds."""
    first = next(iter(holder.command.splitlines()), "")
    return tr("      runs with it: {first}", first=display_text(first)[:120])


def secret_facts(record: Credential, now: datetime) -> str:
    """What is known of one secret, a line for each."""
    ends = record.expires_at
    until = tr("until {time}", time=day_and_time(ends, now)) if ends is not None else tr("until you remove it")
    kept = _PLACES[record.place] + (f", {until}" if record.place == "keyring" else "")
    used = f"{count(record.uses, 'time')}"
    if record.last_used_at is not None:
        used += tr(", last {last_used_at}", last_used_at=age(record.last_used_at, now))
    lines = [
        tr("Kept {kept}.", kept=kept),
        tr("May be given as {names}.", names=", ".join(record.names))
        if record.names
        else tr("May be given as any variable."),
        tr("May be sent to {hosts}.", hosts=", ".join(record.hosts)) if record.hosts else "",
        *(
            tr("The secret “{name}” of the skill in {place}.", name=name, place=place)
            for place, _, name in map(_halves, record.bound)
        ),
        tr("For chats of {project_path}.", project_path=record.project_path) if record.project_path else "",
        tr("Asked for in the chat “{made_by}”.", made_by=record.made_by) if record.made_by else "",
        tr("Used {used}.", used=used) if record.uses else tr("Never used."),
    ]
    return "\n".join(display_text(line) for line in lines if line)


def _halves(bound: str) -> tuple[str, str, str]:
    return bound.rpartition(":")


def held_words(holders: Iterable[Holder]) -> str:
    """What a removal does not end."""
    held = count(len(list(holders)), "command")
    return tr(" {held} that runs now still has it; stop it in the list.", held=held) if not held.startswith("0") else ""
