"""A process to be killed: runs one turn of a real engine, answers its first card, and says how far it is on stdout.

python -m tests.agent.victim HOME REPOSITORY MOMENT     MOMENT: asked, queued, started, answered
"""

import asyncio
import sys
from pathlib import Path

from desktop.domain.commands import SendMessage
from desktop.domain.events import ToolCallStarted
from desktop.domain.pending import Answer
from tests.agent.rig import Rig, folders_below


async def main(home: Path, repository: Path, moment: str) -> None:
    """Stand still at `moment` until killed."""
    rig = await Rig(folders_below(home)).open(repository)
    session_id = await rig.new("Do the long thing")
    asked = await rig.asked()
    if moment == "queued":
        await rig.engine.handle(SendMessage(session_id=session_id, text="one"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="two"))
    elif moment != "asked":
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        await rig.until(lambda updates: rig.events(ToolCallStarted))
        while moment == "started" and not (rig.lane(session_id) / "begun").exists():
            await asyncio.sleep(0.01)
    print(session_id, flush=True)
    await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
