"""Warning lines that need judgement: what a command would do, and where a path leads (gate-V9)."""

from desktop.domain.display.json_text import argument_texts, is_command_key, read_arguments
from desktop.domain.display.surfaces import Surface, display_warnings
from desktop.policy.display_command import command_sentences, is_readable
from desktop.policy.path_words import path_warning
from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits
from desktop.policy.shell.read.world import TextWorld

_MOST_CLASSES = 3


def all_warnings(text: str, surface: Surface) -> tuple[str, ...]:
    """Every warning line of a text at that place, judged by its text alone: () exactly when it is not marked."""
    return tuple(dict.fromkeys((*display_warnings(text, surface), *judged_warnings(text, surface))))


def judged_warnings(text: str, surface: Surface) -> tuple[str, ...]:
    """The lines that the window cannot find by itself, for `ApprovalRequest.warnings`."""
    if surface == "approval_command":
        return command_warnings(text)
    if surface == "tool_args":
        return argument_warnings(text)
    if surface == "file_path":
        return path_warnings(text)
    return ()


def command_warnings(command: str, places: DenyPlaces | None = None) -> tuple[str, ...]:
    """The warnings about a command that deserves a second look, and the deny classes that it hits. Of a text that is no
    script, which bash would not run either, only what may never run counts."""
    hits = deny_hits(command, places if places is not None else DenyPlaces(home=TextWorld().home))
    if not is_readable(command):
        hits = tuple(hit for hit in hits if hit.severity == "forbid")
    reasons = list(dict.fromkeys(hit.reason for hit in hits))[:_MOST_CLASSES]
    return (*command_sentences(command), *reasons)


def argument_warnings(text: str) -> tuple[str, ...]:
    """The lines of the commands among tool arguments."""
    if not read_arguments(text).is_json:
        return ()
    found: dict[str, None] = {}
    for key, value in argument_texts(text):
        if is_command_key(key):
            found.update(dict.fromkeys(command_warnings(value)))
    return tuple(found)


def path_warnings(path: str) -> tuple[str, ...]:
    """Why a path is not simply a file of the lane, by its text alone."""
    world = TextWorld()
    for op in ("read", "write"):
        facts = world.resolve(path, op)
        if facts.verdict != "inside" and not facts.reason.startswith("it is a folder"):
            return (path_warning(facts.verdict, facts.reason),)
    return ()
