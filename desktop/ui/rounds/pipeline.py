"""PipelineDialog: how rounds of work on a pull request go on by themselves."""

from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from desktop.domain.rounds.commands import SetPipeline
from desktop.domain.rounds.items import PipelineSettings
from desktop.domain.rounds.updates import RoundChanged
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.host import LaneHost
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_METHODS = (
    ("repo_default", tr("Repository's")),
    ("merge", tr("Merge", context="way to merge")),
    ("squash", tr("Squash")),
    ("rebase", tr("Rebase")),
)
_REBASE = (("pause", tr("Pause")), ("auto_rebase", tr("Rebase and push")))
_AUTO = tr(
    "After a round Banksman waits for the checks and for comments. With this on it begins the next round with what is "
    "new, in the mode and with the model of the last one."
)
_MERGE = tr("Only when at least one check exists, all are ok, and nothing else stands against it.")
_THOUSAND = 1_000


class PipelineDialog(LaneForm):
    """Stays open until the engine has it, or says what is wrong."""

    def __init__(self, lane_id: str, settings: PipelineSettings, host: LaneHost) -> None:
        super().__init__("pipeline_dialog", tr("How rounds go"), (tr("Save"), "pipeline_save"), host.window)
        self._lane_id, self._host = lane_id, host
        self.hearing = Hearing().on(RoundChanged, self._on_round)
        self.auto_round = _tick("pipeline_auto_round", tr("Begin further rounds by itself"), settings.auto_round, self)
        self.max_rounds = _number("pipeline_max_rounds", tr("Rounds at most"), settings.max_rounds, (1, 20), self)
        self.tokens = _number(
            "pipeline_tokens",
            tr("Tokens of a round in thousands"),
            settings.round_token_limit // _THOUSAND,
            (10, 10_000),
            self,
        )
        self.rebase = Segmented("pipeline_rebase", tr("When it is behind its base"), list(_REBASE), self)
        self.rebase.set_value(settings.on_rebase_needed)
        words = tr("Merge by itself when nothing is left")
        self.auto_merge = _tick("pipeline_auto_merge", words, settings.auto_merge, self)
        self.method = Segmented("pipeline_method", tr("How to merge"), list(_METHODS), self)
        self.method.set_value(settings.merge_method)
        about_auto, about_merge = self.words("pipeline_about_auto"), self.words("pipeline_about_merge")
        say(about_auto, _AUTO)
        say(about_merge, _MERGE)
        self.add_field("", self.auto_round, about_auto)
        self.add_field(tr("Rounds at most (1 to 20)"), self.max_rounds)
        self.add_field(tr("Tokens of a round at most, in thousands (10 to 10,000)"), self.tokens)
        self.add_field(tr("When it is behind its base"), self.rebase)
        self.add_field("", self.auto_merge, about_merge)
        self.add_field(tr("How to merge"), self.method)
        self.rebase.chosen.connect(self.rebase.set_value)
        self.method.chosen.connect(self.method.set_value)
        self.max_rounds.textChanged.connect(self._refresh)
        self.tokens.textChanged.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self.auto_round.setFocus()

    @property
    def chosen(self) -> PipelineSettings:
        """The settings that are chosen now."""
        return PipelineSettings.model_validate(
            {
                "auto_round": self.auto_round.isChecked(),
                "max_rounds": int(self.max_rounds.text()),
                "auto_merge": self.auto_merge.isChecked(),
                "merge_method": self.method.value,
                "on_rebase_needed": self.rebase.value,
                "round_token_limit": int(self.tokens.text()) * _THOUSAND,
            }
        )

    def _on_round(self, update: RoundChanged) -> None:
        if self.working and update.settings == self.chosen:
            self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    def _refresh(self) -> None:
        fits = self.max_rounds.hasAcceptableInput() and self.tokens.hasAcceptableInput()
        self.set_go(tr("Save"), enabled=fits, why="" if fits else tr("A number is out of its range."))

    def _on_submitted(self) -> None:
        if not self.working and self.go.isEnabled():
            command = SetPipeline(lane_id=self._lane_id, settings=self.chosen)
            self.set_working(True, tr("Saving…"))
            self._host.order(command, self, failed=self._on_failed)


def _tick(name: str, words: str, on: bool, parent: QWidget) -> QCheckBox:
    box = QCheckBox(words, parent)
    box.setObjectName(name)
    box.setChecked(on)
    return box


def _number(name: str, label: str, value: int, bounds: tuple[int, int], parent: QWidget) -> QLineEdit:
    field = QLineEdit(str(value), parent)
    field.setObjectName(name)
    field.setAccessibleName(label)
    field.setValidator(QIntValidator(*bounds, field))
    return field
