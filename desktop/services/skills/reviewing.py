"""Making a review of a package: what each file is, what differs, and what a person should look at (memory-SK10)."""

import difflib
import re
from collections.abc import Callable, Iterator

from desktop.domain.skills.packages import Package, PackageFile
from desktop.domain.skills.review import ReviewFile, SkillReview
from desktop.domain.skills.values import Fault, SkillFile
from desktop.services.skills.finding import skill_of
from desktop.services.skills.matter_fields import NAME_RULE, is_name
from desktop.services.skills.skill_files import SKILL_FILE

SHOWN_BYTES = 256 * 1024
ALL_SHOWN_BYTES = 2 * 1024 * 1024
DIFF_CHARS = 100_000
COMPARED_LINES, COMPARED_BYTES = 4_000, 64 * 1024
_SCRIPT = re.compile(
    r"(?:.*\.)?(?:sh|bash|zsh|fish|py|pyw|rb|pl|php|js|mjs|cjs|ts|lua|ps1|psm1|bat|cmd|vbs|exe|dll|so|dylib|jar|class|"
    r"applescript|command|desktop|service|awk|tcl|r|jl|go|rs|c|wasm|appimage|bin|run|msi|scpt|makefile|mk)",
    re.IGNORECASE,
)
NO_PROGRAMS = "Only files that people and agents read can be installed. A program can be added as an MCP server."


def review(
    skill_id: str,
    package: Package,
    *,
    source: str,
    before: Package | None,
    speaks_of_permission: Callable[[str], bool],
    commit: str = "",
) -> SkillReview:
    """The package as a person looks at it. `before`: what was accepted under this id, None for nothing."""
    said = skill_of(package, skill_id, skill_id)
    files = reviewed_files(package, before)
    skill = said if isinstance(said, SkillFile) else None
    return SkillReview(
        skill_id=skill_id,
        source=source,
        commit=commit,
        sha256=package.sha256,
        description=skill.description if skill is not None else "",
        files=tuple(files),
        replaces=before.sha256 if before is not None else "",
        removed=tuple(file.path for file in before.files if package.content(file.path) is None) if before else (),
        difference=difference(before, package) if before is not None else "",
        tools=skill.allowed_tools if skill is not None else (),
        secrets=skill.secrets if skill is not None else (),
        marks=tuple(_marks(package, files, skill, speaks_of_permission)),
        problem=_problem(skill_id, package, said),
    )


def reviewed_files(package: Package, before: Package | None) -> list[ReviewFile]:
    """Each file, beside the one of that path `before`; the texts of all together are of a length that can be shown."""
    old = {file.path: file for file in before.files} if before is not None else {}
    left = ALL_SHOWN_BYTES
    files: list[ReviewFile] = []
    for file in package.files:
        text, note = _text(file, left)
        left -= len(file.content) if text is not None else 0
        files.append(_file(file, old.get(file.path), text, note, compared=before is not None))
    return files


def is_script(file: PackageFile) -> bool:
    """Whether a program could run the file: by its mode, its first line or its ending."""
    name = file.path.rpartition("/")[2]
    return file.executable or file.content.startswith(b"#!") or _SCRIPT.fullmatch(name) is not None


def _problem(skill_id: str, package: Package, said: SkillFile | Fault) -> str:
    if package.content(SKILL_FILE) is None:
        return f"It has no {SKILL_FILE}. {NO_PROGRAMS}"
    if not is_name(skill_id):
        return f"A skill cannot be called '{skill_id}': {NAME_RULE}."
    return str(said) if isinstance(said, Fault) else ""


def _file(file: PackageFile, old: PackageFile | None, text: str | None, note: str, *, compared: bool) -> ReviewFile:
    change = "" if not compared else "new" if old is None else "same" if old == file else "changed"
    return ReviewFile(
        path=file.path,
        size=len(file.content),
        sha256=file.sha256,
        executable=file.executable,
        script=is_script(file),
        text=text,
        note=note,
        change=change,
    )


def _text(file: PackageFile, left: int) -> tuple[str | None, str]:
    if len(file.content) > min(SHOWN_BYTES, left):
        return None, "too long to be shown here"
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError:
        return None, "no text"
    return (None, "no text") if "\0" in text else (text, "")


def _marks(
    package: Package, files: list[ReviewFile], skill: SkillFile | None, speaks: Callable[[str], bool]
) -> Iterator[str]:
    scripts = [file.path for file in files if file.script]
    if scripts:
        yield f"It has scripts, which agents may run as commands: {', '.join(scripts)}."
    hidden = [file.path for file in files if file.script and file.text is None]
    if hidden:
        yield f"These scripts cannot be shown here: {', '.join(hidden)}."
    if skill is not None and skill.secrets:
        yield f"It asks for secrets: {', '.join(skill.secrets)}."
    odd = [file.path for file in files if not file.path.isascii()]
    if odd:
        yield f"Names that are not plain ASCII: {', '.join(odd)}."
    spoken = [file.path for file in files if file.text is not None and speaks(file.text)]
    if spoken:
        yield f"Words about permission or approval: {', '.join(spoken)}."
    if skill is not None:
        yield from skill.warnings
        if skill.ignored:
            yield f"These keys have no effect: {', '.join(skill.ignored)}."


def difference(before: Package, now: Package) -> str:
    """What differs, as unified differences, of a length that can be shown."""
    lines: list[str] = []
    for path in sorted({file.path for file in (*before.files, *now.files)}):
        old, new = before.content(path), now.content(path)
        if old != new:
            lines += _compared(path, old, new)
    text = "\n".join(lines)
    return text if len(text) <= DIFF_CHARS else f"{text[:DIFF_CHARS]}\n[the rest is too long to be shown here]"


def _compared(path: str, old: bytes | None, new: bytes | None) -> list[str]:
    """The difference of two files, or that there is one where comparing lines would say nothing, or take for ever."""
    names = [path if content is not None else "/dev/null" for content in (old, new)]
    try:
        texts = [(content or b"").decode("utf-8").splitlines() for content in (old, new)]
    except UnicodeDecodeError:
        return [f"--- {names[0]}", f"+++ {names[1]}", "[no text]"]
    if sum(map(len, texts)) > COMPARED_LINES or len(old or b"") + len(new or b"") > COMPARED_BYTES:
        return [f"--- {names[0]}", f"+++ {names[1]}", "[too long to be compared here]"]
    return list(difflib.unified_diff(texts[0], texts[1], names[0], names[1], lineterm=""))
