"""The words that a pull request begins with: of the project's template, else headings and what is known (lanes-P5)."""

import re
from collections.abc import Sequence

from desktop.domain.core.errors import CommandError
from desktop.domain.reports.values import EvidenceRow
from desktop.services.context.instruction_files import lane_bytes
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git

MAX_TITLE, MAX_BODY = 256, 65_000
MAX_LISTED = 40
MAX_COMMAND_CHARS = 200
_FOLDERS = (".github", ".", "docs")
_NAMES = ("pull_request_template.md", "pull_request_template.txt", "pull_request_template")
_MANY = "pull_request_template"
_BLANKS = re.compile(r"\s+")


def template_of(files: LaneFiles) -> str:
    """The project's template for requests as it stands in the lane, "" when there is none. Blocking.

    Where GitHub would let a person choose among several, it is the one named default, else the first.
    """
    for path in _candidates(Git(files.root)):
        content = lane_bytes(files, path)
        if content is not None and (text := content.decode("utf-8", "replace").strip()):
            return text.replace("\r\n", "\n")[:MAX_BODY]
    return ""


def default_title(subjects: Sequence[str], lane_name: str) -> str:
    """The only commit's subject, else the lane's name."""
    title = subjects[0] if len(subjects) == 1 else lane_name
    return _BLANKS.sub(" ", title).strip()[:MAX_TITLE]


def default_body(subjects: Sequence[str], description: str, evidence: Sequence[EvidenceRow]) -> str:
    """Headings, the lane's description, its commits oldest first, and the commands that were run with their state."""
    listed = [f"- {_BLANKS.sub(' ', subject).strip()}" for subject in subjects[:MAX_LISTED]]
    if len(subjects) > MAX_LISTED:
        listed.append(f"- and {len(subjects) - MAX_LISTED} more commits")
    parts = (
        ("Summary", description.strip()),
        ("What changed", "\n".join(listed)),
        ("Validation", validation(evidence)),
        ("Risks", ""),
    )
    return "\n\n".join(f"## {title}\n\n{text}".rstrip() for title, text in parts) + "\n"


def validation(evidence: Sequence[EvidenceRow]) -> str:
    """The section on checks: one line for each command of the last report; "" when there is none."""
    return "\n".join(_evidence_line(row) for row in evidence[:MAX_LISTED])


def checked_text(text: str) -> str:
    """The text of a comment with plain line ends.

    Raises:
        CommandError: `no_text`, `too_long`.
    """
    said = text.replace("\r\n", "\n").strip()
    if not said:
        raise CommandError("no_text", "There is nothing to say yet.")
    if len(said) > MAX_BODY:
        raise CommandError("too_long", f"A comment has at most {MAX_BODY:,} characters.")
    return said


def _evidence_line(row: EvidenceRow) -> str:
    command = _BLANKS.sub(" ", row.command).replace("`", "'").strip()
    shown = command if len(command) <= MAX_COMMAND_CHARS else f"{command[:MAX_COMMAND_CHARS]}…"
    ended = f"exit {row.exit_code}, " if row.exit_code is not None else ""
    return f"- `{shown}`: {ended}{row.state}"


def _candidates(git: Git) -> list[str]:
    """The templates that the last commit holds, in the order in which they count."""
    listed = git.run_now("ls-tree", "-z", "--name-only", "HEAD", "--", ".github/", "./", "docs/", check=False).names
    folders = [name for name in listed if name.rpartition("/")[2].casefold() == _MANY]
    if folders:
        inside = git.run_now("ls-tree", "-z", "--name-only", "HEAD", "--", *(f"{one}/" for one in folders), check=False)
        listed += inside.names
    ranked = [(rank, name) for name in listed if (rank := _rank(name)) is not None]
    return [name for _, name in sorted(ranked)]


def _rank(path: str) -> tuple[int, int, str] | None:
    folder, _, name = path.casefold().rpartition("/")
    place = folder or "."
    if name in _NAMES and place in _FOLDERS:
        return 0, _FOLDERS.index(place), name
    above, _, last = place.rpartition("/")
    if last == _MANY and (above or ".") in _FOLDERS and name.endswith((".md", ".txt")):
        return 1, 0 if name.partition(".")[0] == "default" else 1, path
    return None
