"""The person's editor: which one there is, and opening a folder or a file in it."""

import asyncio
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from desktop.domain.core.errors import BanksmanError

_KNOWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("code", ("--goto", "{path}:{line}")),
    ("cursor", ("--goto", "{path}:{line}")),
    ("codium", ("--goto", "{path}:{line}")),
    ("zed", ("{path}:{line}",)),
    ("subl", ("{path}:{line}",)),
    ("idea", ("--line", "{line}", "{path}")),
    ("pycharm", ("--line", "{line}", "{path}")),
    ("kate", ("--line", "{line}", "{path}")),
    ("gedit", ("+{line}", "{path}")),
)
"""Editors with a window, in the order in which they are looked for, and how they are told path and line."""
_IN_A_TERMINAL = frozenset({"vi", "vim", "nvim", "nano", "emacs", "micro", "helix", "hx", "ed", "less", "joe", "pico"})
_STARTED_S = 1.0


class EditorError(BanksmanError):
    """No program that opens the file could be started."""


def editor_command(
    setting: Sequence[str], env: Mapping[str, str], find: Callable[[str], str | None] = shutil.which
) -> tuple[str, ...]:
    """The words that open something, with {path} and {line} in them: of the settings, of $VISUAL or $EDITOR unless that
    is one for a terminal, of a known editor, else of the system, which opens the file with what belongs to its kind."""
    if setting:
        return tuple(setting) if any("{path}" in word for word in setting) else (*setting, "{path}")
    known = dict(_KNOWN)
    for variable in ("VISUAL", "EDITOR"):
        words = _words(env.get(variable, ""))
        name = Path(words[0]).name if words else ""
        if words and name not in _IN_A_TERMINAL and find(words[0]) is not None:
            flags = tuple(word for word in words[1:] if word not in ("-w", "--wait"))
            return (words[0], *flags, *known.get(name, ("{path}",)))
    for name, words_of in _KNOWN:
        if find(name) is not None:
            return (name, *words_of)
    return ("open", "{path}") if sys.platform == "darwin" else ("xdg-open", "{path}")


def filled(command: Sequence[str], path: Path, line: int) -> list[str]:
    """The command for one path. Without a line, words that only name one are left out. Folders have no line."""
    number = line if not path.is_dir() else 0
    words = []
    for at, word in enumerate(command):
        if not number and "{line}" in word and "{path}" not in word:
            continue
        if not number and word in ("--line", "--goto") and at + 1 < len(command) and "{line}" in command[at + 1]:
            continue
        words.append((word if number else word.replace(":{line}", "")).replace("{line}", str(number)))
    return [word.replace("{path}", str(path)) for word in words]


async def open_in_editor(command: Sequence[str], path: Path, line: int, env: Mapping[str, str]) -> None:
    """Start the editor; it goes on by itself, also when the app ends.

    Raises:
        EditorError: it could not be started, or said at once that it failed.
    """
    argv = filled(command, path, line)
    name = argv[0]
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=path if path.is_dir() else path.parent,
            env=dict(env),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise EditorError(
            f'Could not start the editor "{name}": {error.strerror}. Name yours in Settings, General.'
        ) from error
    try:
        async with asyncio.timeout(_STARTED_S):
            code = await process.wait()
    except TimeoutError:
        return
    if code:
        raise EditorError(f'The editor "{name}" ended with exit code {code}. Name another in Settings, General.')


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return []
