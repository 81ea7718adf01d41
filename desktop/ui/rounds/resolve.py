"""ResolveDialog: what a round gives to an agent, with the exact prompt; what is shown is what is sent."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.rounds.commands import LaunchResolution, PreviewResolution
from desktop.domain.rounds.inventory import in_scope
from desktop.domain.rounds.items import IssueItem, LaunchChoice, Scope
from desktop.domain.rounds.updates import ResolutionPreview, RoundChanged
from desktop.domain.updates import CommandFailed, SandboxReported
from desktop.language import said, tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, answer
from desktop.ui.gate.full_auto import FullAutoQuestion
from desktop.ui.lanes.host import LaneHost
from desktop.ui.rounds.issue_rows import issue_row
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem
from desktop.ui.widgets.text_box import TextBox

WIDTH, HEIGHT, LEFT = 900, 620, 330
_TYPING_MS = 400
_NOTE_HEIGHT, _STATE_FIRST, _ITEM_GAP = 76, 1_000, 2
_SCOPES: tuple[tuple[Scope, str], ...] = (("both", tr("Both")), ("checks", tr("Checks")), ("comments", tr("Comments")))
_MODES = {
    PermissionMode.EDIT: tr("Edit"),
    PermissionMode.FULL_AUTO: tr("Full auto"),
    PermissionMode.PLAN: tr("Plan", context="mode"),
}
_READING = tr("Working out the prompt…")


class ResolveDialog(Dialog):
    """Asks for a preview when it opens and when something is chosen. `begun`: the id of the round's chat."""

    begun = Signal(str)

    def __init__(self, lane_id: str, choice: LaunchChoice, host: LaneHost, engine: EngineFacts) -> None:
        super().__init__(host.window)
        self._lane_id, self._choice, self._host, self._engine = lane_id, choice, host, engine
        self._asking, self._launching = Request(), Request()
        self._session_id = ""
        self._preview: ResolutionPreview | None = None
        self._is_current = False
        self.hearing = Hearing().on(SandboxReported, self._on_sandbox).on(RoundChanged, self._on_round)
        self._filling = False
        self._full_auto = FullAutoQuestion(engine, self)
        self._agreed: tuple[str, ...] = ()
        self.setObjectName("resolve_dialog")
        self.setWindowTitle(tr("Fix with the agent"))
        self.setModal(True)
        self.resize(theme().px(WIDTH), theme().px(HEIGHT))
        self._title = plain_label(self, "title", "resolve_title", wrap=False)
        self._intro = plain_label(self, "muted", "resolve_intro")
        self.scope = Segmented("resolve_scope", tr("Scope"), list(_SCOPES), self, compact=True)
        self.items = BoxList("resolve_items", tr("Items"), self)
        self.items.setSpacing(theme().px(_ITEM_GAP))
        self.items.setVerticalScrollMode(BoxList.ScrollMode.ScrollPerPixel)
        self.mode = Segmented(
            "resolve_mode", tr("Mode"), [(key.value, words) for key, words in _MODES.items()], self, compact=True
        )
        self.model = ChoiceButton("resolve_model", tr("Model"), self)
        self.instructions = _field("resolve_instructions", tr("Instructions for the agent"), self)
        self.instructions.setPlaceholderText(tr("More instructions, at the end of the prompt"))
        self.instructions.document().setDocumentMargin(theme().px(SPACE_2))
        self.instructions.setPlainText(choice.instructions)
        self.prompt = TextBox("resolve_prompt", tr("Prompt"), self)
        self._state = plain_label(self, "strong", "resolve_state", role="warning")
        self.cancel, self.go = (
            push_button(tr("Cancel"), "resolve_cancel", self),
            push_button(tr("Start round"), "resolve_launch", self),
        )
        self.go.setProperty("kind", "primary")
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._models()
        self._lay_out()
        self._connect()
        self._ask()

    def _on_sandbox(self, update: SandboxReported) -> None:
        self._check_agreed(update.report)

    def _on_round(self, update: RoundChanged) -> None:
        begun = update.run.state in ("launching", "running", "polling")
        if self._launching.is_waiting and update.run.session_id == self._session_id and begun:
            self._launching.drop()
            self.begun.emit(self._session_id)
            self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._launching.drop()
        say(self._state, display_text(failed.text))
        self._fit()

    # choosing

    def _ask(self) -> None:
        """Ask for the prompt of what is chosen."""
        self._typing.stop()
        command = PreviewResolution(lane_id=self._lane_id, choice=self._choice)
        self._is_current = False
        if self._preview is None:
            say(self._state, _READING)
        self._fit()
        self._asking.drop()
        seen = answer(ResolutionPreview, self._take)
        self._asking = self._host.order(command, self, seen, failed=self._on_failed)

    def _change(self, **changes: object) -> None:
        self._choice = self._choice.model_copy(update=changes)
        self._ask()

    def _on_scope(self, value: str) -> None:
        self._change(scope=next(key for key, _ in _SCOPES if key == value), item_ids=())

    def _on_item(self, _item: QListWidgetItem) -> None:
        if self._filling:
            return
        rows = (self.items.item(row) for row in range(self.items.count()))
        ticked = tuple(row.data(Qt.ItemDataRole.UserRole) for row in rows if row.checkState() is Qt.CheckState.Checked)
        self._change(item_ids=ticked or ("-",))

    def _on_mode(self, value: str) -> None:
        mode = PermissionMode(value)
        if mode is PermissionMode.FULL_AUTO and self._full_auto.must_ask:
            self._ask_full_auto(self._choice.mode, "")
        else:
            self._change(mode=mode, without_sandbox=False)

    def _ask_full_auto(self, stay: PermissionMode, reason: str) -> None:
        """As a chat asks. Whoever does not agree gets the mode `stay`."""

        def agreed() -> None:
            self._agreed = _stops(self._engine.sandbox)
            self._change(mode=PermissionMode.FULL_AUTO, without_sandbox=True)

        def stayed() -> None:
            if self._choice.mode is not stay:
                self._change(mode=stay, without_sandbox=False)

        self._full_auto.ask(stay, reason, agreed, stayed)

    def _check_agreed(self, report: SandboxReport) -> None:
        """A word that was given for another sandbox counts no more."""
        if self._choice.without_sandbox and _stops(report) != self._agreed:
            self._change(without_sandbox=False)

    def _on_model(self, key: str) -> None:
        endpoint_id, _, model = key.partition("\n")
        self._change(endpoint_id=endpoint_id, model=model)

    def _on_typed(self) -> None:
        self._choice = self._choice.model_copy(update={"instructions": self.instructions.toPlainText()})
        self._asking.drop()
        self._is_current = False
        self._fit()
        self._typing.start()

    # showing

    def _take(self, preview: ResolutionPreview) -> None:
        self._preview, self._is_current = preview, True
        self._asking.drop()
        self._choice = preview.choice if preview.choice.item_ids else self._choice
        self._title.setText(
            tr("Fix with the agent · PR #{number}", number=preview.number)
            if preview.number
            else tr("Fix with the agent")
        )
        self._intro.setText(
            tr(
                "Round {round} of {rounds}. The agent works in a chat of its own in this lane, commits, "
                "pushes, and replies to threads. It gets exactly this prompt.",
                round=preview.round,
                rounds=preview.rounds,
            )
        )
        self.scope.set_value(preview.choice.scope)
        self.mode.set_value(preview.choice.mode.value)
        for mode in _MODES:
            can = mode in preview.modes or not preview.modes
            self.mode.set_enabled(mode.value, can, tr("The agent could not push or answer in this mode"))
        self._fill(preview.items, preview.choice)
        if self.prompt.toPlainText() != safe_text(preview.prompt):
            bar = self.prompt.verticalScrollBar()
            place = bar.value()
            self.prompt.setPlainText(safe_text(preview.prompt))
            bar.setValue(min(place, bar.maximum()))
        say(self._state, display_text(said(preview.problem)))
        self._fit()
        if preview.asks_sandbox:
            self._ask_full_auto(PermissionMode.EDIT, preview.problem)

    def _fill(self, items: Sequence[IssueItem], choice: LaunchChoice) -> None:
        self._filling = True
        offered = [item for item in in_scope(items, choice.scope) if item.state not in ("fixed", "dismissed")]
        while self.items.count() > len(offered):
            self.items.takeItem(self.items.count() - 1)
        while self.items.count() < len(offered):
            row = QListWidgetItem(self.items)
            row.setFlags(row.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        for number, item in enumerate(offered):
            entry, row = issue_row(item), self.items.item(number)
            row.setText(f"{entry.title}\n{entry.detail}")
            row.setData(Qt.ItemDataRole.UserRole, item.id)
            row.setData(Qt.ItemDataRole.AccessibleTextRole, entry.sentence)
            ticked = item.id in choice.item_ids
            row.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self._filling = False

    def _fit(self) -> None:
        preview = self._preview
        ready = preview is not None and bool(preview.digest) and self._is_current and not self._typing.isActive()
        problem = display_text(said(preview.problem)) if preview is not None and self._is_current else ""
        waits = UNDER_WAY if self._launching.is_waiting else ""
        set_off(self.go, waits or ("" if ready else problem or tr("Looking at what the round would do…")))
        self.go.setText(tr("Starting…") if self._launching.is_waiting else tr("Start round"))

    def _on_go(self) -> None:
        preview = self._preview
        if preview is None or not self.go.isEnabled():
            return
        self._session_id = new_session_id()
        command = LaunchResolution(
            lane_id=self._lane_id, session_id=self._session_id, digest=preview.digest, choice=preview.choice
        )
        say(self._state, "")
        seen = answer(ResolutionPreview, self._take)
        self._launching = self._host.order(command, self, seen, failed=self._on_failed)
        self._fit()

    # making

    def _models(self) -> None:
        """Every model that can be used now, after the settings' own."""
        items = [PickItem("\n", tr("Model of new chats"), below=tr("From the settings"))]
        for endpoint in self._engine.endpoints():
            if self._engine.key_missing(endpoint.id):
                continue
            label = display_text(endpoint.label)
            items += [
                PickItem(f"{endpoint.id}\n{model.id}", display_text(model.name or model.id), below=label)
                for model in self._engine.models(endpoint)
            ]
        self.model.set_items(items)
        self.model.set_value(f"{self._choice.endpoint_id}\n{self._choice.model}")

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        set_gaps(left, (0, 0, 0, 0), SPACE_3)
        parts = (
            (tr("Scope"), self.scope),
            (tr("Items"), self.items),
            (tr("Mode"), self.mode),
            (tr("Model"), self.model),
            (tr("Instructions"), self.instructions),
        )
        for words, widget in parts:
            label = plain_label(self, "caption", wrap=False)
            label.setText(words)
            part = QVBoxLayout()
            set_gaps(part, spacing=SPACE_1)
            part.addWidget(label)
            part.addWidget(widget, 1)
            left.addLayout(part, int(widget is self.items))
        self.instructions.setFixedHeight(theme().px(_NOTE_HEIGHT))
        side = QWidget(self)
        side.setFixedWidth(theme().px(LEFT))
        side.setLayout(left)
        right = QVBoxLayout()
        set_gaps(right, spacing=SPACE_1)
        label = plain_label(self, "caption", wrap=False)
        label.setText(tr("Prompt"))
        right.addWidget(label)
        right.addWidget(self.prompt, 1)
        middle = QHBoxLayout()
        set_gaps(middle, spacing=SPACE_4)
        middle.addWidget(side)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._state, _STATE_FIRST)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        column.addWidget(self._title)
        column.addWidget(self._intro)
        column.addLayout(middle, 1)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.scope.chosen.connect(self._on_scope)
        self.items.itemChanged.connect(self._on_item)
        self.mode.chosen.connect(self._on_mode)
        self.model.chosen.connect(self._on_model)
        self.instructions.textChanged.connect(self._on_typed)
        self._typing.timeout.connect(self._ask)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self._on_go)


def _stops(report: SandboxReport | None) -> tuple[str, ...]:
    """How much a sandbox stops."""
    return (report.level, *report.gaps) if report is not None else ()


def _field(name: str, title: str, parent: QWidget) -> QPlainTextEdit:
    field = QPlainTextEdit(parent)
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setTabChangesFocus(True)
    return field
