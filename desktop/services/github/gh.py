"""The login of the `gh` command line: read when a person asks for it (lanes-G14)."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping

from pydantic import SecretStr

from desktop.services.github.problems import failure
from desktop.services.processes.environment import clean_path

LIMIT_S = 10.0
MAX_BYTES = 16 * 1024
_KEPT = (
    "HOME",
    "USER",
    "LANG",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GH_CONFIG_DIR",
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
)
_FIXED = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


def find_gh(environment: Mapping[str, str]) -> str | None:
    """The program, None if it is not there. Folders that are no whole paths are not looked in."""
    return shutil.which("gh", path=clean_path(environment.get("PATH", ""), None))


async def gh_token(host: str, environment: Mapping[str, str], *, limit_s: float = LIMIT_S) -> SecretStr:
    """The token that `gh` holds for this host.

    Raises:
        GitHubError: gh is not there, did not answer, or is not signed in there.
    """
    program = find_gh(environment)
    if program is None:
        raise failure("unauthorised", "The gh command line was not found. Install it, or paste a token.")
    kept = {name: environment[name] for name in _KEPT if environment.get(name)}
    env = {**kept, **_FIXED, "PATH": clean_path(environment.get("PATH", ""), None)}
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            "auth",
            "token",
            "--hostname",
            host,
            env=env,
            start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise failure("unauthorised", f"gh could not be started: {error.strerror}. Paste a token.") from error
    assert process.stdout is not None
    try:
        async with asyncio.timeout(limit_s):
            printed = await process.stdout.read(MAX_BYTES)
            status = await process.wait()
    except TimeoutError as error:
        raise failure("unauthorised", f"gh did not answer within {limit_s:g} s. Paste a token.") from error
    finally:
        if process.returncode is None:
            _end(process)
            await asyncio.shield(process.wait())
    token = printed.decode("utf-8", "replace").strip()
    if status != 0 or not token or not token.isascii() or not token.isprintable() or " " in token:
        raise failure(
            "unauthorised", f"gh is not signed in to {host}. Run in a terminal: gh auth login --hostname {host}"
        )
    return SecretStr(token)


def _end(process: asyncio.subprocess.Process) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
