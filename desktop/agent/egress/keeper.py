"""EgressKeeper: records what went out to the network, and tells people of hosts that were refused or not reached."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Telling
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.project_log import ProjectLog
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.egress.updates import SeenTraffic, TrafficLoaded
from desktop.domain.events import Envelope, Notice
from desktop.services.egress.egress import Egress, KeptOut, Unreached

EVERY_S = 600.0
TOLD_AGAIN = timedelta(hours=1)
MOST_TOLD = 20
MOST_CHARS = 80
_KEPT_TOLD: Mapping[str, str] = {
    "command": "A command{} was kept from {}:{}, which is not among its hosts.",
    "web": "A fetch{} was kept from {}:{}, which is not among its hosts.",
    "server": "The server{} was kept from {}:{}, which is not among its hosts.",
    "hook": "The hook{} was kept from {}:{}, which is not among its hosts.",
    "guest": "The agent{} was kept from {}:{}, which is not among its hosts.",
    "vendor": "The model service{} was kept from {}:{}, which is not among its hosts.",
    "release": "The look for updates{} was kept from {}:{}, which is not among its hosts.",
}
"""By what was kept, with its name after a blank."""


class EgressKeeper:
    """Engine thread only. `log`: where traffic goes that is of no chat; `newest` reads the end of it."""

    def __init__(
        self,
        egress: Egress,
        sessions: Sessions,
        log: ProjectLog,
        newest: Callable[[], Awaitable[Sequence[Envelope]]],
        telling: Telling,
        clock: Callable[[], datetime],
    ) -> None:
        self._egress = egress
        self._sessions = sessions
        self._log = log
        self._newest = newest
        self._publish = telling.publish
        self._clock = clock
        self._told: dict[tuple[str, str], datetime] = {}
        self._missed: dict[tuple[str, str], datetime] = {}
        self._task: asyncio.Task[None] | None = None
        egress.kept_out.add(self._kept_out)
        egress.unreached.add(self._unreached)

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about what left this computer."""
        return {LoadTraffic: self._load}

    def project_opened(self) -> None:
        """Begin to record now and then what goes out while no turn ends."""
        if self._task is None:
            self._task = asyncio.create_task(self._now_and_then(), name="egress records")

    def saw(self, update: Update) -> None:
        """A turn began or ended: what it cannot reach is told anew. It ended: what its commands reached is recorded."""
        if not isinstance(update, Envelope) or update.kind not in ("turn_started", "turn_ended"):
            return
        self._missed = {key: at for key, at in self._missed.items() if key[0] != update.session_id}
        if update.kind == "turn_ended" and update.session_id in self._egress.owners():
            asyncio.get_running_loop().call_soon(self.record, update.session_id)

    def record(self, owner: str) -> None:
        """Put what went out for a chat or a project into its log. Where that cannot be, it is in no log."""
        traffic = self._egress.take(owner)
        if not traffic:
            return
        event = EgressRecorded(traffic=traffic)
        if owner and self._sessions.knows(owner):
            self._sessions.get(owner).record(event, lazy=True)
        else:
            self._log.append(event)

    async def close(self) -> None:
        """Record what is left, and end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None
        self._record_all()

    async def _load(self, command: LoadTraffic) -> None:
        """All that is on record of the repository itself; what is counted so far is recorded before."""
        self._record_all()
        seen: dict[str, SeenTraffic] = {}
        for envelope in await self._newest():
            event = envelope.event
            for traffic in event.traffic if isinstance(event, EgressRecorded) else ():
                before = seen[traffic.key].traffic if traffic.key in seen else None
                seen[traffic.key] = SeenTraffic(at=envelope.at, traffic=traffic.with_more(before))
        self._publish(TrafficLoaded(seen=tuple(seen.values()), command_id=command.command_id))

    async def _now_and_then(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            self._record_all()

    def _record_all(self) -> None:
        for owner in self._egress.owners():
            try:
                self.record(owner)
            except BanksmanError:  # a chat that was deleted meanwhile; the others go on
                continue

    def _kept_out(self, kept: KeptOut) -> None:
        """Tell once for each host and hour; one that tries ever more hosts is told of some."""
        now = self._clock()
        self._told = {key: at for key, at in self._told.items() if now - at < TOLD_AGAIN}
        key = (kept.owner, kept.host if kept.port else "")
        if key in self._told or sum(owner == kept.owner for owner, _ in self._told) >= MOST_TOLD:
            return
        self._told[key] = now
        name = f" {kept.client}" if kept.client else ""
        if kept.port:
            text = _KEPT_TOLD[kept.kind].format(name, kept.host, kept.port)
        else:
            form = "The agent{} asked the model service for {}, which was not passed on: only what asks a model is."
            text = form.format(name, kept.host[:MOST_CHARS])
        self._tell(kept.owner, text)

    def _unreached(self, missed: Unreached) -> None:
        """Tell once for each host and turn, of no chat once for each host and hour."""
        now = self._clock()
        self._missed = {
            key: at for key, at in self._missed.items() if now - at < TOLD_AGAIN or self._sessions.knows(key[0])
        }
        key = (missed.owner, missed.host)
        if key in self._missed or sum(owner == missed.owner for owner, _ in self._missed) >= MOST_TOLD:
            return
        self._missed[key] = now
        self._tell(missed.owner, f"{missed.host}:{missed.port} is allowed, and could not be reached: {missed.why}.")

    def _tell(self, owner: str, text: str) -> None:
        notice = Notice(kind="egress", level="warning", text=text)
        if owner and self._sessions.knows(owner):
            self._sessions.get(owner).record(notice, lazy=True)
        else:
            self._log.append(notice)
