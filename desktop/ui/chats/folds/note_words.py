"""What people read of a note that the app wrote for the model: what happened, without what the model is to do."""

import re

from desktop.language import said, tr
from desktop.ui.text.call_titles import call_title

_FRAME = re.compile(r"</?banksman-note[^>]*>")
_SAID = {
    "continued": tr("You asked the agent to go on where it stopped."),
    "stopped": tr("You stopped the agent here."),
    "stream_cut": tr("The connection broke. The agent was asked to go on where it stopped."),
    "output_limit": tr("The answer was longer than the model may write at once. The agent was asked to go on."),
    "instructions_changed": tr("Instruction files have changed. The agent was told what they say now."),
    "skills_changed": tr("Skills have changed. The agent was told which of them it can load now."),
    "mcp_instructions": tr("An MCP server says how it is used. The agent was told its words, as those of a stranger."),
    "guest_tools": tr("The agent was told which tools of Banksman it can use, beside its own."),
    "todos": tr("The agent was reminded of its open todos."),
}
_FOR_THE_MODEL = (
    " The user goes on with a new message.",
    " Read before you change it again.",
    " Read them before you rely on them.",
)
_ADDRESSED = (
    (re.compile(r"\bThe user took back your change to\b"), "You took back the change to"),
    (re.compile(r"\bThe user looked back on your calls and says:"), "You looked back on calls:"),
    (re.compile(r"\bThe (?:user|person)(?= )"), "You"),
    (re.compile(r"; log: \S+?(?=\.?$)"), ""),
)
_UNDONE = re.compile(
    r"The user took back: (?P<titles>.+?)(?: and (?P<more>[0-9]+) more)?\."
    r"(?: These files changed: (?P<files>.+)\. Read them before you rely on them\.)?"
)


def note_words(kind: str, text: str) -> str:
    """One line about a note of this kind; `text` as the model got it."""
    if kind in _SAID:
        return _SAID[kind]
    words = " ".join(_FRAME.sub("", text).replace("&lt;", "<").split())
    if (told := said(words)) != words:
        return told
    if undone := _UNDONE.fullmatch(words):
        return _undone_words(**undone.groupdict())
    for sentence in _FOR_THE_MODEL:
        words = words.replace(sentence, "")
    for pattern, plain in _ADDRESSED:
        words = pattern.sub(plain, words)
    return words


def _undone_words(titles: str, more: str | None, files: str | None) -> str:
    """That calls were taken back: their titles, how many others, and the files that changed by it."""
    names = "; ".join(map(call_title, titles.split("; ")))
    told = tr("You took back: {names}.", names=tr("{names} and {more} more", names=names, more=more) if more else names)
    return f"{told} {tr('These files changed: {files}.', files=files)}" if files else told
