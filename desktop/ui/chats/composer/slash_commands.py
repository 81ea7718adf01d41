"""Slash commands: what can be typed after `/` in the composer, and how a text is read as one (ui-U124)."""

import re
from collections.abc import Collection, Sequence

from desktop.language import tr
from desktop.records import dataclass

_NAME = re.compile(r"/([a-z][a-z0-9_:-]*)(?:[ \n]+(\S.*))?\s*", re.DOTALL)
_TYPING = re.compile(r"/([a-z0-9_:-]*)")


@dataclass(frozen=True)
class SlashSpec:
    """One command. `argument`: "" takes none, "[…]" may follow, "{…}" must. `action`: the window's action that it is,
    "" where the chat's page does it; its icon goes before `icon`. `in_chat`: only where a chat is shown."""

    name: str
    meaning: str
    argument: str = ""
    action: str = ""
    in_chat: bool = False
    icon: str = "chevron-right"


TABLE: tuple[SlashSpec, ...] = (
    SlashSpec("help", tr("List commands and keys"), action="shortcuts"),
    SlashSpec("new", tr("New chat"), action="new_chat"),
    SlashSpec("plan", tr("Switch to plan mode"), icon="shield"),
    SlashSpec("edit", tr("Switch to edit mode"), icon="shield"),
    SlashSpec("full-auto", tr("Switch to full auto"), icon="shield"),
    SlashSpec("model", tr("Choose the model"), action="choose_model"),
    SlashSpec("effort", tr("How long the model thinks: off, low, medium, high"), "{level}", in_chat=True, icon="brain"),
    SlashSpec("attach", tr("Attach files"), action="attach"),
    SlashSpec("compact", tr("Summarise earlier messages now"), tr("[what to keep]"), in_chat=True, icon="scissors"),
    SlashSpec("clear", tr("Clear the context; the transcript stays"), in_chat=True, icon="rotate-ccw"),
    SlashSpec("fork", tr("Fork at the end"), action="fork_chat", in_chat=True),
    SlashSpec("rewind", tr("Choose a message to rewind to"), action="rewind", in_chat=True),
    SlashSpec("find", tr("Find in this chat"), action="find", in_chat=True),
    SlashSpec("rename", tr("Rename this chat"), "{title}", in_chat=True, icon="pencil"),
    SlashSpec("stop", tr("Stop the turn"), action="stop", in_chat=True),
    SlashSpec("changes", tr("Show the changes"), action="tab_changes", in_chat=True),
    SlashSpec("todos", tr("Show the todos"), action="tab_todos", in_chat=True),
    SlashSpec("audit", tr("Show the audit"), action="tab_audit", in_chat=True),
    SlashSpec("remember", tr("Remember something, after a look at it"), "{text}", in_chat=True, icon="book-open"),
    SlashSpec("memory", tr("Search the memory"), tr("[words]"), in_chat=True, icon="book-open"),
    SlashSpec("export", tr("Save the chat as a file"), action="export_chat", in_chat=True),
    SlashSpec("cost", tr("Tokens and cost of this chat"), in_chat=True, icon="info"),
    SlashSpec("rules", tr("Permission rules of this project"), icon="shield-check"),
    SlashSpec("skills", tr("Skills and how they stand"), icon="book-open"),
    SlashSpec("agents", tr("Agents from files and how they stand"), icon="bot"),
    SlashSpec("mcp", tr("MCP servers and how they stand"), icon="server"),
    SlashSpec("settings", tr("Settings"), action="settings"),
    SlashSpec("archive", tr("Archive this chat"), action="archive", in_chat=True),
)


@dataclass(frozen=True)
class Typed:
    """A text read as a command: its name and what follows."""

    name: str
    argument: str = ""


def offered(chat: bool, actions: Collection[str]) -> tuple[SlashSpec, ...]:
    """The commands that work: `chat` whether one is shown, `actions` the ids of those that the window has."""
    return tuple(spec for spec in TABLE if (chat or not spec.in_chat) and (not spec.action or spec.action in actions))


def typing(text: str) -> str | None:
    """What stands after `/` while a name is being typed; None: the text is no such beginning."""
    found = _TYPING.fullmatch(text)
    return found.group(1) if found else None


def typed(text: str) -> Typed | None:
    """The text as a command; None: it is ordinary text, as `/x?` or `/srv/www is full`."""
    found = _NAME.fullmatch(text)
    return Typed(found.group(1), (found.group(2) or "").strip()) if found else None


def matching(words: str, names: Sequence[str]) -> list[str]:
    """The names that fit: those that begin so first, then those that have the letters in order; each in its order."""
    first = [name for name in names if name.startswith(words)]
    return first + [name for name in names if name not in first and _in_order(words, name)]


def _in_order(words: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in words)
