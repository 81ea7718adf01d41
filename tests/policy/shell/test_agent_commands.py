"""How often the gate asks about what agents really do."""

import pytest

from tests.policy.shell.agent_commands import ISSUED, share


def test_the_list_is_long_enough_to_say_something() -> None:
    assert len(ISSUED) >= 300
    assert sum(issued.harmless for issued in ISSUED) >= 200
    assert len({issued.text for issued in ISSUED}) == len(ISSUED)


@pytest.mark.parametrize("half", ["tuned", "held_out"])
def test_harmless_reads_of_agents_run_unasked(half: str) -> None:
    assert share(half) >= 0.95


def test_each_command_is_decided_as_the_list_says() -> None:
    assert [issued.text for issued in ISSUED if issued.runs != issued.unasked] == []


def test_no_command_that_does_more_than_read_in_the_lane_runs_unasked() -> None:
    assert [issued.text for issued in ISSUED if issued.runs and not issued.harmless] == []
