"""What the settings say of a secret that a person entrusted to agents, and of a command that holds one."""

from collections.abc import Iterable
from datetime import datetime

from desktop.domain.credentials.updates import Holder
from desktop.domain.credentials.values import Credential
from desktop.domain.display.text import display_text
from desktop.ui.text.format import age, count

_PLACES = {"keyring": "in the system keyring", "memory": "in memory, until Banksman closes"}


def secret_line(record: Credential) -> str:
    """A secret in its list."""
    return display_text(f"{record.title} · {record.handle}")


def holder_line(holder: Holder) -> str:
    """A command in the list, below the secret that it holds."""
    first = next(iter(holder.command.splitlines()), "")
    return f"      runs with it: {display_text(first)[:120]}"


def secret_facts(record: Credential, now: datetime) -> str:
    """What is known of one secret, a line for each."""
    until = f"until {record.expires_at:%Y-%m-%d %H:%M} UTC" if record.expires_at is not None else "until you remove it"
    kept = _PLACES[record.place] + (f", {until}" if record.place == "keyring" else "")
    used = f"{count(record.uses, 'time')}"
    if record.last_used_at is not None:
        used += f", last {age(record.last_used_at, now)}"
    lines = [
        f"Kept {kept}.",
        f"May be given as {', '.join(record.names)}." if record.names else "May be given as any variable.",
        f"May be sent to {', '.join(record.hosts)}." if record.hosts else "",
        *(f"The secret “{name}” of the skill in {place}." for place, _, name in map(_halves, record.bound)),
        f"For chats of {record.project_path}." if record.project_path else "",
        f"Asked for in the chat “{record.made_by}”." if record.made_by else "",
        f"Used {used}." if record.uses else "Never used.",
    ]
    return "\n".join(display_text(line) for line in lines if line)


def _halves(bound: str) -> tuple[str, str, str]:
    return bound.rpartition(":")


def held_words(holders: Iterable[Holder]) -> str:
    """What a removal does not end."""
    held = count(len(list(holders)), "command")
    return f" {held} that runs now still has it; stop it in the list." if not held.startswith("0") else ""
