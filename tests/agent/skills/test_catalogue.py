"""What a chat is told of skills has a limit: described, then named, then counted."""

import pytest

from desktop.agent.skills.catalogue import MOST_CHARS, MOST_DESCRIBED, catalogue, change
from desktop.domain.skills.events import ListedSkill


def listed(count: int, chars: int = 40) -> list[ListedSkill]:
    return [
        ListedSkill(skill_id=f"skill-{number:03}", description=f"{number} " + "d" * (chars - 4), sha256="1")
        for number in range(count)
    ]


@pytest.mark.promise("memory-SK5")
def test_forty_skills_are_described_others_named_and_the_rest_counted() -> None:
    assert catalogue([]) == ""
    lines = catalogue(listed(400)).splitlines()[2:]
    described = [line for line in lines if line.startswith("- skill-") and ": " in line]
    assert len(described) == MOST_DESCRIBED == 40
    assert lines[40].startswith("- skill-040, skill-041, ")
    named = lines[40].count("skill-")
    assert lines[41:] == [f"- and {400 - 40 - named} more"]


@pytest.mark.promise("memory-SK5")
def test_long_descriptions_take_no_more_room_than_there_is() -> None:
    text = catalogue(listed(30, chars=1_000))
    described = [line for line in text.splitlines() if ": 0" in line or line.count("d") > 900]
    assert sum(len(line) + 1 for line in described) <= MOST_CHARS == 8_000
    assert len(described) == 7
    assert "- skill-007, " in text, "those without room for their words are named"
    assert "more" not in text.splitlines()[-1]


def test_a_change_tells_what_went_what_changed_and_what_came() -> None:
    before = listed(3)
    other = before[1].model_copy(update={"sha256": "2"})
    told = change(before, [other, before[2], *listed(4)[3:]])
    assert "cannot be loaded any more: skill-000." in told
    assert "changed; load them again before you go on by them:\n- skill-001: " in told
    assert "can be loaded now:\n- skill-003: " in told
    assert "skill-002" not in told
    assert change(before, before) == ""
