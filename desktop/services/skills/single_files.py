"""Agents and commands that come as one file: which of both a file is, and how a person looks at it (memory-SK12)."""

from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.domain.chats.slash import parse_slash_file
from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package, PackageFile
from desktop.domain.skills.review import SkillReview, What
from desktop.domain.skills.values import AgentFile
from desktop.records import dataclass
from desktop.services.skills.agent_files import read_agent
from desktop.services.skills.front_matter import MAX_BYTES
from desktop.services.skills.reviewing import NO_PROGRAMS, difference, reviewed_files

ENDING = ".md"


@dataclass(frozen=True)
class SingleFile:
    """A file that is an agent or a command. `name`: what it goes by, its file's name without the ending; `notes`:
    sentences about it; `problem`: why it cannot be installed, a sentence."""

    what: What
    name: str
    content: bytes
    description: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def package(self) -> Package:
        """The file as what a yes binds. Raises SkillError."""
        return Package([PackageFile(f"{self.name}{ENDING}", False, self.content)])


def single_file(name: str, content: bytes, what: What | None = None) -> SingleFile:
    """What a file of this name is. `what`: what it was found as; None: an agent if it reads as one. Never raises."""
    stem = name.removesuffix(ENDING)
    agent = read_agent(content, name)
    if stem == name or len(content) > MAX_BYTES:
        problem = f"'{name}' is larger than 64 KiB." if stem != name else f"'{name}' is no Markdown file. {NO_PROGRAMS}"
        return SingleFile(what or "command", stem, content, problem=problem)
    if isinstance(agent, AgentFile) and what != "command":
        return SingleFile("agent", agent.name, content, agent.description, tuple(_agent_notes(agent)))
    if what == "agent":
        return SingleFile("agent", stem, content, problem=str(agent))
    command = parse_slash_file(stem, content)
    return SingleFile("command", stem, content, command.description, problem=command.problem)


def read_single(path: Path) -> SingleFile:
    """The file that a person picked. Blocking. Raises SkillError: it cannot be read."""
    try:
        if not path.is_file():
            raise SkillError(f"'{path.name}' is no file.")
        with path.open("rb") as file:
            return single_file(path.name, file.read(MAX_BYTES + 1))
    except OSError as error:
        raise SkillError(f"'{path.name}' cannot be read ({error.strerror or error}).") from error


def single_review(
    single: SingleFile, before: bytes | None, source: str, commit: str, speaks: Callable[[str], bool]
) -> SkillReview:
    """The file as a person looks at it. `before`: what stands in its place, None for nothing. Raises SkillError."""
    package = single.package
    old = Package([PackageFile(f"{single.name}{ENDING}", False, before)]) if before is not None else None
    marks = [*single.notes]
    if speaks(single.content.decode("utf-8", "replace")):
        marks.append("It has words about permission or approval.")
    if old is not None and old.sha256 == package.sha256:
        marks.append("You have exactly this file.")
    return SkillReview(
        what=single.what,
        skill_id=single.name,
        source=source,
        commit=commit,
        sha256=package.sha256,
        description=single.description,
        files=tuple(reviewed_files(package, old)),
        replaces=old.sha256 if old is not None else "",
        difference=difference(old, package) if old is not None else "",
        marks=tuple(marks),
        problem=single.problem,
    )


def _agent_notes(agent: AgentFile) -> Iterator[str]:
    yield from agent.notices
    if agent.tools is None:
        yield "It names no tools, so it has those of the chat that begins it."
    else:
        yield f"Tools: {', '.join(agent.tools)}." if agent.tools else "It has no tools."
    if agent.bash_words:
        yield f"Commands that begin with: {', '.join(agent.bash_words)}."
    if agent.ignored:
        yield f"Keys without effect: {', '.join(agent.ignored)}."
