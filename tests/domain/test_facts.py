"""What is so of a command or an update stands on its class, once; the lists below are folds over the classes."""

from pathlib import Path

from tests.domain.fact_lists import snapshots

FOLDER = Path(__file__).parents[1] / "snapshots" / "facts"


def test_the_facts_of_all_commands_and_updates_are_those_that_were_read():
    """After a wanted change: `python -m tests.update_snapshots`, and read the difference."""
    assert snapshots() == {file.name: file.read_text("utf-8") for file in FOLDER.iterdir()}
