"""The skills of one commit, from what git lists and prints of it: no file of it is written (memory-SK9)."""

from collections.abc import Iterable, Mapping

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package, PackageFile, check_count
from desktop.domain.skills.review import What
from desktop.policy.network.repositories import Repository
from desktop.records import dataclass
from desktop.services.skills.folders import LEFT_OUT, MOST_DEEP
from desktop.services.skills.front_matter import MAX_BYTES
from desktop.services.skills.reviewing import NO_PROGRAMS
from desktop.services.skills.skill_files import SKILL_FILE

MOST_SKILLS = 100
MOST_BYTES = 20 * 1024 * 1024 - 2_000_000
_SINGLES: dict[str, What] = {"agents": "agent", "commands": "command"}
_KINDS = {"120000": "a link", "160000": "another repository"}


@dataclass(frozen=True)
class _Entry:
    path: str
    mode: str
    name: str
    size: int


@dataclass(frozen=True)
class CommitSkill:
    """A skill in a commit, or the file of an agent or a command. `folder`: below its top, of the file itself;
    `package`: its files, None with the `problem` that there is."""

    skill_id: str
    folder: str
    package: Package | None = None
    problem: str = ""
    entries: tuple[_Entry, ...] = ()
    what: What = "skill"

    def with_contents(self, read: Mapping[str, bytes]) -> "CommitSkill":
        """It with the contents of its files, or with what is wrong with them."""
        if self.problem:
            return self
        above = self.folder if self.what == "skill" else self.folder.rpartition("/")[0]
        start = len(above) + 1 if above else 0
        files = (PackageFile(one.path[start:], one.mode == "100755", read[one.name]) for one in self.entries)
        try:
            return CommitSkill(self.skill_id, self.folder, Package(files), what=self.what)
        except SkillError as error:
            return CommitSkill(self.skill_id, self.folder, problem=str(error), what=self.what)


def skills_in(tree: bytes, repository: Repository) -> tuple[list[CommitSkill], list[str]]:
    """The skills that a listing of all files names, and the names of the contents that they have.

    Raises:
        SkillError: there is none in the folder that is meant.
    """
    entries = [one for one in map(_entry, tree.split(b"\0")[:-1]) if _is_below(one.path, repository.folder)]
    folders = _folders([one.path for one in entries], repository.folder)
    singles = [one for one in entries if _what(one.path) and not any(_is_below(one.path, place) for place in folders)]
    if not folders and not singles:
        raise SkillError(f"{repository.folder or repository.address} has no folder with a {SKILL_FILE}. {NO_PROGRAMS}")
    left = MOST_BYTES
    skills: list[CommitSkill] = []
    for folder in folders[:MOST_SKILLS]:
        skill_id = folder.rpartition("/")[2] or repository.name
        own = tuple(one for one in entries if _is_below(one.path, folder))
        problem = _problem(own, left)
        left -= 0 if problem else sum(one.size for one in own)
        skills.append(CommitSkill(skill_id, folder, problem=problem, entries=own))
    for one in singles[:MOST_SKILLS]:
        name = one.path.rpartition("/")[2].removesuffix(".md")
        problem = _problem((one,), min(left, MAX_BYTES))
        skills.append(CommitSkill(name, one.path, problem=problem, entries=(one,), what=_what(one.path) or "command"))
    wanted = dict.fromkeys(one.name for skill in skills if not skill.problem for one in skill.entries)
    return skills, list(wanted)


def read_blobs(printed: bytes, wanted: Iterable[str]) -> dict[str, bytes]:
    """The contents by name, from what `git cat-file --batch` printed. Raises SkillError: not all of them are there."""
    found: dict[str, bytes] = {}
    at = 0
    for name in wanted:
        line, _, _ = printed[at : at + 200].partition(b"\n")
        words = line.split(b" ")
        if len(words) != 3 or words[0].decode("ascii", "replace") != name or not words[2].isdigit():
            raise SkillError("Git did not give all of its files.")
        start = at + len(line) + 1
        at = start + int(words[2]) + 1
        found[name] = printed[start : at - 1]
        if len(found[name]) != int(words[2]):
            raise SkillError("Git did not give all of its files.")
    return found


def _entry(line: bytes) -> _Entry:
    facts, _, path = line.partition(b"\t")
    mode, _kind, name, size = facts.decode("ascii").split()
    return _Entry(path.decode("utf-8", "surrogateescape"), mode, name, int(size) if size.isdigit() else 0)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _what(path: str) -> What | None:
    """What a single file of a commit is by its place."""
    *above, name = path.split("/")
    if not name.endswith(".md") or not above or len(above) > MOST_DEEP or LEFT_OUT.intersection(above):
        return None
    return _SINGLES.get(above[-1]) if name.lower() != "readme.md" else None


def _folders(paths: list[str], top: str) -> list[str]:
    """The folders with a skill, the outermost of each, in order."""
    found: list[str] = []
    deep = top.count("/") + 1 if top else 0
    places = sorted((path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == SKILL_FILE), key=_depth)
    for place in places:
        parts = place.split("/") if place else []
        near = len(parts) - deep <= MOST_DEEP and not LEFT_OUT.intersection(parts)
        if near and not any(_is_below(place, one) for one in found):
            found.append(place)
    return sorted(found)


def _depth(place: str) -> tuple[int, str]:
    return (place.count("/") + 1 if place else 0), place


def _problem(entries: tuple[_Entry, ...], left: int) -> str:
    """Why these files can be no skill, by their listing alone."""
    odd = next((one for one in entries if one.mode not in ("100644", "100755", "100664")), None)
    if odd is not None:
        return f"'{odd.path[:100]}' is {_KINDS.get(odd.mode, 'no regular file')}; a skill has files and folders only."
    size = sum(one.size for one in entries)
    try:
        check_count(len(entries), size)
    except SkillError as error:
        return str(error)
    return "Together with the others it is too much to be read. Name its folder." if size > left else ""
