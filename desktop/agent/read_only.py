"""What can only be read, and which commands that refuses: a damaged store (StoreWatch), an imported chat."""

import asyncio

from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.store.core.store import READ_ONLY, LaterCheck, Store

CHECK_AFTER_S = 5.0


def refuse_imported(sessions: Sessions, command: Command) -> None:
    """Nothing, unless the command would change an imported chat that nobody has continued yet.

    Raises:
        CommandError: `read_only`.
    """
    session_id = vars(command).get("session_id")
    if not command.on_imported and isinstance(session_id, str) and sessions.knows(session_id):
        sessions.get(session_id).refuse_imported()


class StoreWatch:
    """All on the engine thread but the check itself."""

    def __init__(self, store: Store, publish: Publish) -> None:
        self._publish = publish
        self._problems = store.problems
        self._check = store.later_check()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_reading(self) -> bool:
        """Whether nothing can be recorded."""
        return bool(self._problems)

    def start(self) -> None:
        """Tell what is wrong; look through a large store when the window stands."""
        if self._problems:
            self._publish(StoreDamaged(problems=self._problems))
        elif self._check is not None:
            self._task = asyncio.create_task(self._look(self._check), name="store check")

    def refuse(self, command: Command) -> None:
        """Nothing, when the command may be carried out.

        Raises:
            CommandError: `read_only`: it would record something, and nothing can be recorded.
        """
        if self._problems and not command.reads:
            raise CommandError("read_only", READ_ONLY)

    async def close(self) -> None:
        """Give up the check."""
        if self._check is not None:
            self._check.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look(self, check: LaterCheck) -> None:
        await asyncio.sleep(CHECK_AFTER_S)
        found = await asyncio.to_thread(check.run)
        if found:
            self._problems = (
                f"The chats are damaged: {found}. From now on they are only read. Start Banksman again to see what can "
                "be read of them.",
            )
            self._publish(StoreDamaged(problems=self._problems))
