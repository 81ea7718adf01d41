"""A program with a terminal, which waits to be killed; it tells the shell's process, a job's and a daemon's."""

import asyncio
import os
import re
from pathlib import Path

from desktop.domain.terminals.updates import row_text
from desktop.services.terminals.pty import open_terminal, start_shell
from desktop.services.terminals.terminal import Terminal, TerminalPlace

TYPED = (
    "setsid sh -c 'echo $$ > one; exec sleep 300' & sleep 300 & until [ -s one ]; do sleep 0.05; done; "
    "echo shell=$$ $! $(cat one)\r"
)


async def main() -> None:
    """In the folder that it was started in."""
    ours, theirs = open_terminal(120, 24)
    process = await start_shell(["/bin/bash", "--norc"], theirs, cwd=Path.cwd(), env=dict(os.environ))
    rows: dict[int, str] = {}
    terminal = Terminal(
        TerminalPlace("t", "l", ours, process.pid, 120, 24),
        lambda frame: rows.update({at: row_text(row) for at, row in frame.change.rows}),
        lambda kept: None,
    )
    terminal.start()
    terminal.send(TYPED)
    while not (told := [text for text in rows.values() if re.fullmatch(r"shell=\d+ \d+ \d+", text.rstrip())]):
        terminal.shown(10_000)
        await asyncio.sleep(0.02)
    print(told[0], flush=True)
    await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main())
