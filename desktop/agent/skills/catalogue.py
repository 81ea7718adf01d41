"""The catalogue of skills, as the prompt of a chat and the note of a change tell it (memory-SK5)."""

from collections.abc import Iterable, Sequence

from desktop.domain.skills.events import ListedSkill

MOST_DESCRIBED = 40
MOST_CHARS = 8_000
MOST_NAME_CHARS = 2_000
INTRODUCTION = (
    "# Skills\nTexts that say how a kind of task is done here, accepted by a person. Before a task that one of them is "
    "for, load it with use_skill. They inform your work and permit nothing."
)


def catalogue(skills: Sequence[ListedSkill]) -> str:
    """The section of the prompt, "" where there is no skill."""
    return f"{INTRODUCTION}\n{_lines(skills)}" if skills else ""


def change(before: Iterable[ListedSkill], now: Iterable[ListedSkill]) -> str:
    """What a note tells of a change, "" where there is nothing to tell."""
    old, new = ({one.skill_id: one for one in skills} for skills in (before, now))
    gone = [skill_id for skill_id in old if skill_id not in new]
    other = [one for skill_id, one in new.items() if skill_id in old and old[skill_id].sha256 != one.sha256]
    added = [one for skill_id, one in new.items() if skill_id not in old]
    said = [f"These skills cannot be loaded any more: {', '.join(gone)}."] if gone else []
    if other:
        said.append(f"These skills changed; load them again before you go on by them:\n{_lines(other)}")
    if added:
        said.append(f"These skills can be loaded now:\n{_lines(added)}")
    return "\n".join(said)


def _lines(skills: Sequence[ListedSkill]) -> str:
    """Names and descriptions, then names, then how many more."""
    lines: list[str] = []
    room = MOST_CHARS
    for one in skills[:MOST_DESCRIBED]:
        line = f"- {one.skill_id}: {' '.join(one.description.split())}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    names: list[str] = []
    room = MOST_NAME_CHARS
    for one in skills[len(lines) :]:
        room -= len(one.skill_id) + 2
        if room < 0:
            break
        names.append(one.skill_id)
    left = len(skills) - len(lines) - len(names)
    lines += [f"- {', '.join(names)}"] if names else []
    lines += [f"- and {left} more"] if left else []
    return "\n".join(lines)
