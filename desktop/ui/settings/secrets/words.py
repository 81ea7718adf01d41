"""What the settings say of a secret that a person entrusted to agents, and of a command that holds one."""

from collections.abc import Iterable
from datetime import datetime

from desktop.domain.credentials.updates import Holder
from desktop.domain.credentials.values import Credential
from desktop.domain.display.text import display_text
from desktop.language import tr, trn
from desktop.ui.text.format import age, count, day_and_time

_PLACES = {"keyring": tr("in the system keyring"), "memory": tr("in memory, until Banksman closes")}


def secret_line(record: Credential) -> str:
    """A secret in its list."""
    return display_text(" · ".join(part for part in (record.title, ", ".join(record.names)) if part))


def holder_line(holder: Holder) -> str:
    """A command in the list, below the secret that it holds."""
    first = next(iter(holder.command.splitlines()), "")
    return " " * 6 + tr("runs with it: {command}", command=display_text(first)[:120])


def secret_facts(record: Credential, now: datetime) -> str:
    """What is known of one secret, a line for each."""
    ends = record.expires_at
    until = tr("until {time}", time=day_and_time(ends, now)) if ends is not None else tr("until you remove it")
    kept = _PLACES[record.place] + (f", {until}" if record.place == "keyring" else "")
    times = count(record.uses, "time")
    last = age(record.last_used_at, now) if record.last_used_at is not None else ""
    used = tr("Used {times}, last {time}.", times=times, time=last) if last else tr("Used {times}.", times=times)
    lines = [
        tr("Agents name it {handle}.", handle=record.handle),
        tr("Kept {where}.", where=kept),
        tr("May be given as {names}.", names=", ".join(record.names))
        if record.names
        else tr("May be given as any variable."),
        tr("May be sent to {hosts}.", hosts=", ".join(record.hosts)) if record.hosts else "",
        *(
            tr("The secret “{name}” of the skill in {place}.", name=name, place=place)
            for place, _, name in map(_halves, record.bound)
        ),
        tr("For chats of {project}.", project=record.project_path) if record.project_path else "",
        tr("Asked for in the chat “{chat}”.", chat=record.made_by) if record.made_by else "",
        used if record.uses else tr("Never used."),
    ]
    return "\n".join(display_text(line) for line in lines if line)


def _halves(bound: str) -> tuple[str, str, str]:
    return bound.rpartition(":")


def held_words(holders: Iterable[Holder]) -> str:
    """What a removal does not end."""
    if not (held := len(list(holders))):
        return ""
    return trn(
        held,
        "{n} command that runs now still has it; stop it in the list.",
        "{n} commands that run now still have it; stop them in the list.",
    )
