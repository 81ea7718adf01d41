"""The engine of `banksman acp` where no other process holds the chats."""

import asyncio
import os
import signal

from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.config.folders import product_folders
from desktop.config.log_files import install_log_file
from desktop.domain.core.errors import StartError
from desktop.domain.core.update import Update
from desktop.services.acp.duplex import over_pipes
from desktop.services.processes.signals import let_children_hear


def serve(writing: int, *, in_checkout: bool) -> int:
    """Speak with the editor on standard input and `writing`, and with those that join, until the last has gone.

    Raises:
        BanksmanError: the engine cannot start.
    """
    return asyncio.run(_serve(writing, in_checkout=in_checkout))


async def _serve(writing: int, *, in_checkout: bool) -> int:
    let_children_hear()
    folders = product_folders()
    engine = Engine(folders, _unseen, EngineOptions(has_window=False))
    install_log_file(folders.logs, "acp")
    loop, whole = asyncio.get_running_loop(), asyncio.current_task()
    assert whole is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, whole.cancel)
    try:
        await engine.start()
        try:
            duplex = await over_pipes(os.dup(0), writing)
        except (ValueError, OSError) as error:
            raise StartError("An editor speaks with this program over pipes. Try banksman acp --help.") from error
        await engine.parts.acp.serve(duplex, in_checkout=in_checkout)
        await engine.parts.acp.wait_until_left()
    except asyncio.CancelledError:
        return 130
    finally:
        await engine.stop()
    return 0


def _unseen(update: Update) -> None:
    """There is no window."""
