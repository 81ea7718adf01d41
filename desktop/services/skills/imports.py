"""Skills that other programs of the person keep in their home folder, to be looked at and installed (memory-SK3)."""

from collections.abc import Iterator
from pathlib import Path

from desktop.services.skills.finding import FoundSkill, SkillFinder

PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Agent Skills", (".agents", "skills")),
    ("Claude Code", (".claude", "skills")),
    ("Codex", (".codex", "skills")),
    ("Copilot", (".copilot", "skills")),
    ("Cursor", (".cursor", "skills")),
    ("Gemini CLI", (".gemini", "skills")),
    ("OpenCode", (".config", "opencode", "skills")),
)
"""What each is called, and where below the home folder its skills stand."""


def found_below(home: Path) -> Iterator[tuple[str, FoundSkill]]:
    """The skills of each program, with its name; those with faults too. Blocking."""
    finder = SkillFinder()
    for program, parts in PROGRAMS:
        yield from ((program, one) for one in finder.below(home, parts))
