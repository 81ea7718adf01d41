"""What a model is told at the start of a chat changes only on purpose: see tests/update_snapshots.py."""

from pathlib import Path

from desktop.tools.registry import discover
from tests.agent.request_snapshots import snapshots

FOLDER = Path(__file__).parents[2] / "snapshots" / "requests"


def test_prompts_and_requests_are_as_their_snapshots_say() -> None:
    made = snapshots()
    assert {file.name for file in FOLDER.iterdir()} == set(made)
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_a_prompt_names_only_tools_that_are_offered_with_it() -> None:
    names = {tool.name for tool in discover().tools}
    for file in FOLDER.glob("*.prompt.txt"):
        request = (FOLDER / file.name.replace(".prompt.txt", ".request.json")).read_text(encoding="utf-8")
        prompt = file.read_text(encoding="utf-8")
        for name in names:
            if f'"name": "{name}"' not in request:
                words = prompt.replace(".", " ").replace(",", " ").replace(":", " ").split()
                assert name not in words, f"{file.name} names {name}"
