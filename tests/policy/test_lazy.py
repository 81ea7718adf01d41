"""The judgement of command lines through its door, which loads it at the first use."""

import subprocess
import sys
from pathlib import Path

from pydantic import JsonValue

from desktop.policy import lazy
from desktop.policy.display_warn import command_warnings
from desktop.policy.mcp.arguments import leaving_paths, texts_in
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld

ROOT = Path(__file__).parents[2]


def test_the_door_gives_the_same_verdict_and_the_same_warnings() -> None:
    assert lazy.assess_shell("ls -l", TextWorld()) == assess_shell("ls -l", TextWorld())
    assert lazy.command_warnings("ls\u202e") == command_warnings("ls\u202e")


def test_the_texts_and_paths_among_arguments_are_those_that_the_rules_for_servers_tell() -> None:
    arguments: dict[str, JsonValue] = {"path": "../other", "more": {"text": "hi"}}
    assert list(lazy.texts_in(arguments)) == list(texts_in(arguments)) != []
    assert lazy.leaving_paths(arguments, "/lane") == leaving_paths(arguments, "/lane") == ("../other",)


def test_nothing_is_loaded_before_the_first_judgement() -> None:
    program = (
        "import sys\n"
        "from desktop.policy import lazy\n"
        "assert 'desktop.policy.shell.assess' not in sys.modules\n"
        "assert not lazy.judgement_is_loaded()\n"
        "lazy.command_warnings('ls')\n"
        "assert 'desktop.policy.display_warn' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_both_are_loaded_ahead_when_asked() -> None:
    lazy.load_judgement()
    assert lazy.judgement_is_loaded()
    assert {"desktop.policy.shell.assess", "desktop.policy.display_warn"} <= sys.modules.keys()
