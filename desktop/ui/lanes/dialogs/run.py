"""LaneRunDialog: the run command of a lane: its log, where it listens, who else has its ports; to run and stop it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadLaneFile, RunLaneCommand
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneFileLoaded, LaneRunChanged
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import Ask
from desktop.ui.lanes.dialogs.log import LaneLogDialog
from desktop.ui.widgets.addresses import open_address


class LaneRunDialog(LaneLogDialog):
    """`review_asked`: show the lane file, to trust it or to see how one is written. `known`: what was told before."""

    review_asked = Signal()

    def __init__(self, lane: Lane, known: LaneRunChanged | None, ask: Ask, parent: QWidget) -> None:
        super().__init__("lane_run", tr("Run in “{lane}”", lane=display_text(lane.name)), lane, ask, parent)
        self._run = known or LaneRunChanged(lane_id=lane.id, running=False)
        self._file: LaneFileLoaded | None = None
        self.hearing.on(LaneRunChanged, self._on_run).on(LaneFileLoaded, self._on_file)
        self._addresses: dict[str, QPushButton] = {}
        self._stop = self.add_button(
            tr("Stop"), "lane_run_stop", lambda: self.send(RunLaneCommand(lane_id=lane.id, stop=True))
        )
        self._start = self.add_button(
            tr("Run"), "lane_run_start", lambda: self.send(RunLaneCommand(lane_id=lane.id)), "primary"
        )
        self._review = self.add_button(tr("Review file…"), "lane_run_review", self.review_asked.emit, "primary")
        self.links.addStretch(1)
        self._show()
        self.send(LoadLaneFile())

    def _on_run(self, update: LaneRunChanged) -> None:
        if update.lane_id == self.lane_id:
            self._run = update
            self._show()

    def _on_file(self, update: LaneFileLoaded) -> None:
        first, self._file = self._file is None, update
        if first and update.trusted and update.runs and not self._run.running:
            self.send(RunLaneCommand(lane_id=self.lane_id))
        self._show()

    def refused(self, failure: CommandFailed) -> None:
        """A file that is not trusted (any more) is there to be reviewed."""
        super().refused(failure)
        if failure.code == "needs_trust":
            self._review.show()

    def _show(self) -> None:
        run, file = self._run, self._file
        untrusted = file is not None and bool(file.sha256) and not file.trusted
        missing = file is not None and not file.runs and not untrusted
        if run.running:
            self.say("loader-circle", "accent", tr("Running {command}", command=display_text(run.command)))
        elif run.ending:
            self.say("info", "muted", display_text(said(run.ending)))
        elif file is not None and file.problem:
            self.say("triangle-alert", "danger", display_text(said(file.problem)))
        elif untrusted:
            self.say("shield-alert", "warning", tr("The lane file was not reviewed as it is now, so nothing is run."))
        else:
            self.say("info", "muted", tr("No run command for this project.") if missing else tr("Not running."))
        self.note(display_text(run.port_problem))
        self.log.set_log(run.text)
        self.show_log(file is None or bool(run.text or run.running or (file.trusted and file.runs)))
        self._stop.setVisible(run.running)
        self._start.setVisible(not run.running and not untrusted and not missing)
        self._review.setVisible(untrusted or (missing and not run.running))
        self._review.setText(tr("How to add one…") if missing else tr("Review file…"))
        self._link()

    def _link(self) -> None:
        """A link for each address that answers."""
        for gone in set(self._addresses) - set(self._run.addresses):
            button = self._addresses.pop(gone)
            self.links.removeWidget(button)
            button.hide()
            button.deleteLater()
        for address in self._run.addresses:
            if address not in self._addresses:
                button = self._addresses[address] = QPushButton(address, self)
                button.setObjectName("lane_run_address")
                button.setProperty("kind", "link")
                button.setAutoDefault(False)
                button.clicked.connect(lambda _checked=False, where=address: open_address(where))
                self.links.insertWidget(self.links.count() - 1, button)
                button.show()
