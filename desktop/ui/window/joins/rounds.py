"""ResolutionWindow: ties the PR tab's rounds to its window: dialogs of a round and of its settings, its chats."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from desktop.domain.rounds.items import LaunchChoice, PipelineSettings
from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.rounds.pipeline import PipelineDialog
from desktop.ui.rounds.resolve import ResolveDialog
from desktop.ui.window.inspector import Inspector


class ResolutionWindow(QObject):
    """Without an inspector it does nothing. `open_chat` shows a chat by its id."""

    def __init__(
        self,
        inspector: Inspector | None,
        lanes: WindowLanes,
        engine: EngineFacts,
        open_chat: Callable[[str], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._lanes, self._engine, self._open_chat = lanes, engine, open_chat
        if inspector is None:
            return
        self._shown = inspector.of(PullPanel).shown
        self._shown.fix_asked.connect(self.fix)
        self._shown.rounds_asked.connect(self.show_settings)
        self._shown.chat_asked.connect(open_chat)

    def fix(self, scope: str, item_ids: Sequence[str] = ()) -> None:
        """Ask what a round is to be given; it begins with what is shown there."""
        lane_id = self._shown.lane_id
        if not lane_id:
            return
        mode = self._engine.settings.default_mode
        choice = LaunchChoice.model_validate({"scope": scope, "item_ids": tuple(item_ids), "mode": _able(mode.value)})
        dialog = ResolveDialog(lane_id, choice, self._lanes, self._engine)
        dialog.begun.connect(self._on_begun)
        self._lanes.show(dialog, dialog.hearing)

    def show_settings(self, settings: PipelineSettings) -> None:
        """Ask how rounds go on by themselves."""
        dialog = PipelineDialog(self._shown.lane_id, settings, self._lanes)
        self._lanes.show(dialog, dialog.hearing)

    def _on_begun(self, session_id: str) -> None:
        self._lanes.offer(tr("The round has begun."), tr("Open chat"), lambda: self._open_chat(session_id))


def _able(mode: str) -> str:
    """The person's own mode, if an agent can push in it."""
    return "edit" if mode == "plan" else mode
