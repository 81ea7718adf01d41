"""LaneSetupDialog: the setup of a lane: its state, its live log, what was copied; to stop it and to run it again."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadLaneFile, LoadSetupLog, RunSetup, StopSetup
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneFileLoaded, SetupOutput
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.core.requests import Ask
from desktop.ui.lanes.dialogs.log import LaneLogDialog
from desktop.ui.text.format import count

_MOST_NAMED = 6
_SAYS = {
    "none": ("info", "muted", tr("No setup for this project.")),
    "needs_trust": ("shield-alert", "warning", tr("The lane file was not reviewed as it is now, so nothing was run.")),
    "pending": ("clock", "accent", tr("Waits for its turn…")),
    "running": ("loader-circle", "accent", tr("Running…")),
    "ready": ("circle-check", "success", tr("Setup ended well.")),
    "failed": ("triangle-alert", "danger", tr("Setup failed.")),
    "skipped": ("info", "muted", tr("Setup was not run in this lane.")),
}
_UNDER_WAY = ("pending", "running")


class LaneSetupDialog(LaneLogDialog):
    """`review_asked`: show the lane file, to trust it or to see how one is written."""

    review_asked = Signal()

    def __init__(self, lane: Lane, ask: Ask, parent: QWidget) -> None:
        super().__init__("lane_setup", tr("Setup of “{lane}”", lane=display_text(lane.name)), lane, ask, parent)
        self._lane_state: str = lane.setup
        self._output: SetupOutput | None = None
        self._file: LaneFileLoaded | None = None
        self.hearing.on(SetupOutput, self._on_output).on(LaneFileLoaded, self._on_file)
        self._stop = self.add_button(tr("Stop"), "lane_setup_stop", lambda: self.send(StopSetup(lane_id=self.lane_id)))
        self._retry = self.add_button(tr("Try again"), "lane_setup_retry", self._on_retry, "primary")
        self._review = self.add_button(tr("Review file…"), "lane_setup_review", self.review_asked.emit, "primary")
        self._show()
        self.send(LoadLaneFile())
        self.send(LoadSetupLog(lane_id=self.lane_id))

    def _on_output(self, update: SetupOutput) -> None:
        if update.lane_id == self.lane_id:
            self._output, self._lane_state = update, update.state
            self.log.set_log(update.text)
            self._show()

    def _on_file(self, update: LaneFileLoaded) -> None:
        self._file = update
        self._show()

    def refused(self, failure: CommandFailed) -> None:
        """A file that is not trusted (any more) is there to be reviewed."""
        super().refused(failure)
        if failure.code == "needs_trust":
            self._lane_state = "needs_trust"
            self._fit()
            self.send(LoadLaneFile())

    def _show(self) -> None:
        not_run = self._lane_state == "none" and self._file is not None and self._file.sets_up
        icon, role, text = _SAYS["skipped" if not_run else self._lane_state]
        output = self._output
        if output is not None and self._lane_state == "failed" and output.ending:
            text = display_text(said(output.ending))
        if self._lane_state == "running" and output is not None and output.command:
            text = tr("Running {command}", command=display_text(output.command))
        if self._file is not None and self._file.problem:
            icon, role, text = "triangle-alert", "danger", display_text(said(self._file.problem))
        self.say(icon, role, text)
        self.note("\n".join(_facts(output)) if output is not None else "")
        self.show_log(output is None or bool(output.text or self._lane_state in _UNDER_WAY))
        self._fit()

    def _fit(self) -> None:
        """The buttons that this state has."""
        file, state = self._file, self._lane_state
        untrusted = file is not None and bool(file.sha256) and not file.trusted
        missing = file is not None and not file.sets_up and not untrusted
        self._stop.setVisible(state in _UNDER_WAY)
        can_run = file is not None and not untrusted and not missing
        self._retry.setVisible(can_run and state not in _UNDER_WAY)
        self._retry.setText({"failed": tr("Try again"), "ready": tr("Run again")}.get(state, tr("Run setup")))
        self._review.setVisible(untrusted or missing)
        self._review.setText(tr("How to add one…") if missing else tr("Review file…"))

    def _on_retry(self) -> None:
        self.log.set_log("")
        self.send(RunSetup(lane_id=self.lane_id))


def _facts(output: SetupOutput) -> list[str]:
    """What was copied and what was not, in lines."""
    lines = [display_text(notice) for notice in output.notices]
    if output.copied:
        files = count(len(output.copied), "ignored file", "ignored files")
        lines.append(tr("Copied {files} from your checkout: {names}.", files=files, names=_named(output.copied)))
    if output.secrets:
        names = _named(output.secrets)
        lines.append(tr("An agent asks before it reads what may hold secrets: {names}.", names=names))
    lines += [
        tr("Not copied: {path}: {why}.", path=display_text(path), why=display_text(said(why)))
        for path, why in output.skipped[:_MOST_NAMED]
    ]
    if len(output.skipped) > _MOST_NAMED:
        lines.append(tr("… and {files}", files=count(len(output.skipped) - _MOST_NAMED, "more file", "more files")))
    return lines


def _named(paths: tuple[str, ...]) -> str:
    more = len(paths) - _MOST_NAMED
    named = ", ".join(display_text(path) for path in paths[:_MOST_NAMED])
    return tr("{names} and {more} more", names=named, more=number(more)) if more > 0 else named
