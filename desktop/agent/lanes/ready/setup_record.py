"""SetupRecord: what came of making a lane ready, and how it is found again in the project's log."""

import asyncio
import json
import logging

from pydantic import JsonValue

from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.lanes.ready.command import LOG_CHARS
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.services.processes.ports import is_block_free
from desktop.store.core.lanes import BLOCK
from desktop.store.core.store import Store

logger = logging.getLogger(__name__)

MOST_NAMES = 500
INTERRUPTED = "Banksman closed while the setup was under way. Run it again."
NO_END = "The setup did not come to its end. Run it again."


class SetupRecord(Frozen):
    """`text`: the last 64 KiB of the log; `log`: the digest of all of it. `ending`: why it is not ready, a sentence.
    `copied`, `skipped`, `secrets`: as the copying told them."""

    command: str = ""
    text: str = ""
    log: str = ""
    exit_code: int | None = None
    ending: str = ""
    copied: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def stored(self) -> dict[str, JsonValue]:
        """What of it stands in the log of the project."""
        kept: dict[str, JsonValue] = json.loads(self.model_dump_json(exclude={"text", "log", "ending", "notices"}))
        for name, value in kept.items():
            kept[name] = value[:MOST_NAMES] if isinstance(value, list) else value
        if self.log:
            kept["log"] = {"sha256": self.log}
        return {name: value for name, value in kept.items() if value not in (None, [], "")}


class SetupsKept:
    """What the store holds of setups: their logs, what came of them, and which ports are leased to which lane."""

    def __init__(self, store: Store, settings: SettingsKeeper) -> None:
        self._store = store
        self._settings = settings
        self._leases = store.ports

    def last(self, lane: Lane) -> SetupRecord:
        """What the project's log says of the last time that this lane was made ready; empty when it says nothing."""
        log_id = project_log_id(lane.project_id)
        if self._store.events.head(log_id) is None:
            return SetupRecord()
        fields: dict[str, JsonValue] = {}
        for envelope in self._store.events.read(log_id):
            event = envelope.event
            if not isinstance(event, LaneOperationStarted | LaneOperationFinished) or event.lane_id != lane.id:
                continue
            if isinstance(event, LaneOperationStarted):
                fields |= {"ending": INTERRUPTED} if event.operation == "setup" else {}
            elif event.operation == "copy_files":
                fields = dict(event.result)
            elif event.operation == "setup":
                ending = "" if event.status == "done" else event.text or INTERRUPTED
                fields |= {**event.result, "ending": ending}
        log = fields.pop("log", None)
        sha256 = str(log.get("sha256", "")) if isinstance(log, dict) else ""
        text = (self._store.blobs.get(sha256) or b"").decode("utf-8", "replace")[-LOG_CHARS:] if sha256 else ""
        known = {name: value for name, value in fields.items() if name in SetupRecord.model_fields}
        return SetupRecord.model_validate({**known, "log": sha256, "text": text})

    async def keep_log(self, whole: bytes) -> str:
        """The digest of the log in the store, without secrets; "" when it could not be kept."""
        redactor = self._settings.redactor
        text = await asyncio.to_thread(lambda: redactor.redact(whole.decode("utf-8", "replace")).text)
        try:
            return self._store.blobs.put(text.encode(), "text/plain").sha256
        except BanksmanError:
            logger.exception("the log of a setup was not kept")
            return ""

    def ports(self, lane_id: str) -> int:
        """The first port of the block that is leased to the lane, 0: none is free."""
        return self._leases.lease(lane_id, lambda first: is_block_free(first, BLOCK))
