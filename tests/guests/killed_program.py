"""A Banksman that is killed: it says something in a chat, allows what is asked, and goes on until it is no more.

python -m tests.guests.killed_program HOME REPOSITORY KEYRING SESSION TEXT
"""

import asyncio
import sys
from pathlib import Path

from desktop.domain.commands import SendMessage
from tests.agent.credential_rig import file_keyring
from tests.agent.gate_rig import ONCE
from tests.agent.rig import Rig, folders_below


async def main(home: str, repository: str, keyring: str, session_id: str, text: str) -> None:
    """Until somebody kills it."""
    with file_keyring(Path(keyring)):
        rig = await Rig(folders_below(Path(home))).open(Path(repository))
        await rig.engine.handle(SendMessage(session_id=session_id, text=text))
        number = 1
        while True:
            await rig.answer(session_id, await rig.asked(number), ONCE)
            number += 1


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
