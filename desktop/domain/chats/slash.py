"""Slash commands: the built-in names, and commands that people write as Markdown files. Pure."""

import re

from desktop.records import dataclass

BUILT_IN = frozenset(
    {
        "agents",
        "attach",
        "clear",
        "compact",
        "copy",
        "cost",
        "effort",
        "export",
        "fork",
        "help",
        "import",
        "limits",
        "mode",
        "model",
        "new",
        "plan",
        "rename",
        "rewind",
        "rules",
        "search",
        "settings",
        "skills",
        "stop",
        "tasks",
        "todos",
        "undo",
    }
)
"""Names that no file may take: what they do must not depend on a repository."""

MOST_CHARS = 64 * 1024
DESCRIPTION_CHARS = 120
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_CALL = re.compile(r"/([a-z0-9][a-z0-9-]{0,63})(?:[ \t\n]+(.*))?", re.DOTALL)
_PLACE = re.compile(r"\$(ARGUMENTS\b|[1-9](?![0-9]))")
_QUOTED = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class SlashFile:
    """A command as its file says it. `problem`: why it cannot be used, a sentence, "" if it can."""

    name: str
    description: str = ""
    body: str = ""
    problem: str = ""


def parse_slash_file(name: str, content: bytes) -> SlashFile:
    """The command of a file `<name>.md`: front matter with `description:`, then what is sent. Never raises."""
    if not _NAME.fullmatch(name):
        return SlashFile(name, problem=f"{name}.md: a command's name has small letters, digits and hyphens only.")
    if name in BUILT_IN:
        return SlashFile(name, problem=f"{name}.md: /{name} is built in and cannot be replaced. Rename the file.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return SlashFile(name, problem=f"{name}.md: it is not UTF-8 text.")
    if len(text) > MOST_CHARS:
        return SlashFile(name, problem=f"{name}.md: it is longer than {MOST_CHARS:,} characters.")
    matter, body = _front_matter(text.replace("\r\n", "\n"))
    if not body.strip():
        return SlashFile(name, problem=f"{name}.md: it says nothing to send.")
    first = next(line for line in body.splitlines() if line.strip())
    description = matter.get("description", "") or first.strip().lstrip("# ")
    return SlashFile(name, description=description[:DESCRIPTION_CHARS], body=body.strip())


def called_command(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a message that calls a command, None: it is ordinary text, as `/x?` is."""
    found = _CALL.fullmatch(text.strip())
    return (found[1], (found[2] or "").strip()) if found is not None else None


def expand_body(body: str, arguments: str) -> str:
    """The message that a slash command sends: in its body `$ARGUMENTS` is all that was typed, `$1` to `$9` its words,
    quoted ones whole, "" where there is none. Arguments that the body does not name stand at its end. What was typed is
    never expanded itself."""
    words = [quoted or word for quoted, word in _QUOTED.findall(arguments)]

    def put(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return arguments
        at = int(found[1]) - 1
        return words[at] if at < len(words) else ""

    expanded, places = _PLACE.subn(put, body)
    return f"{expanded}\n\n{arguments}" if arguments and not places else expanded


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return {}, text
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
    if end is None:
        return {}, text
    pairs = (line.partition(":") for line in lines[1:end] if ":" in line)
    matter = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
    return matter, "\n".join(lines[end + 1 :])
