"""Which editor opens a file, with which words, and what is said when none does."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from desktop.services.settings.editors import EditorError, editor_command, filled, open_in_editor


def found(*names: str):
    return lambda name: f"/usr/bin/{name}" if Path(name).name in names else None


@pytest.mark.parametrize(
    ("setting", "env", "there", "command"),
    [
        (("myed", "-n", "{path}"), {"VISUAL": "subl"}, ("subl",), ("myed", "-n", "{path}")),
        (("myed",), {}, (), ("myed", "{path}")),
        ((), {"VISUAL": "subl -n --wait"}, ("subl", "code"), ("subl", "-n", "{path}:{line}")),
        ((), {"VISUAL": "vim", "EDITOR": "nano"}, ("vim", "nano", "idea"), ("idea", "--line", "{line}", "{path}")),
        ((), {"VISUAL": "gone"}, ("code",), ("code", "--goto", "{path}:{line}")),
        ((), {"VISUAL": "'broken"}, (), ("open" if sys.platform == "darwin" else "xdg-open", "{path}")),
    ],
)
def test_the_persons_wish_comes_first_and_editors_of_the_terminal_are_left_out(setting, env, there, command):
    assert editor_command(setting, env, found(*there)) == command


def test_line_and_path_are_put_in_and_a_missing_line_leaves_no_trace(tmp_path):
    file = tmp_path / "a {line} b.py"
    file.write_text("x")
    assert filled(("code", "--goto", "{path}:{line}"), file, 12) == ["code", "--goto", f"{file}:12"]
    assert filled(("code", "--goto", "{path}:{line}"), file, 0) == ["code", str(file)]
    assert filled(("idea", "--line", "{line}", "{path}"), file, 0) == ["idea", str(file)]
    assert filled(("gedit", "+{line}", "{path}"), tmp_path, 12) == ["gedit", str(tmp_path)]


@pytest.mark.asyncio
async def test_what_cannot_be_started_or_fails_at_once_is_said_and_what_runs_goes_on(tmp_path):
    with pytest.raises(EditorError, match='Could not start the editor "no-such-editor"'):
        await open_in_editor(("no-such-editor", "{path}"), tmp_path, 0, os.environ)
    with pytest.raises(EditorError, match="ended with exit code 3"):
        await open_in_editor(("/bin/sh", "-c", "exit 3", "{path}"), tmp_path, 0, os.environ)
    program = "import os, sys; open('part', 'w').write(sys.argv[1]); os.rename('part', 'seen')"
    await open_in_editor((sys.executable, "-c", program, "{path}"), tmp_path, 0, os.environ)
    async with asyncio.timeout(20):
        while not (tmp_path / "seen").exists():
            await asyncio.sleep(0.02)
    assert (tmp_path / "seen").read_text() == str(tmp_path)
