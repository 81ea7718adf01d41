"""SeveralModelsDialog: one first message for several models or agents, each in a lane of its own."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QPlainTextEdit

from desktop.domain.commands import CheckEndpoint
from desktop.domain.core.errors import LaneError
from desktop.domain.core.ids import new_lane_id, new_session_id
from desktop.domain.display.text import display_text
from desktop.domain.guests.commands import ListGuests
from desktop.domain.guests.updates import GuestsListed
from desktop.domain.guests.values import guest_endpoint
from desktop.domain.lanes.commands import CreateLanesForModels, LaneSlot, LoadLaneBases
from desktop.domain.lanes.names import NAME_MAX_CHARS, checked_name, lane_name
from desktop.domain.lanes.updates import LaneBasesListed, LanesLaunched
from desktop.domain.updates import CommandFailed, EndpointChecked
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.composer.drafts import NEW_CHAT, Drafts
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import answer, progress
from desktop.ui.lanes.base_words import DEFAULT, base_items
from desktop.ui.lanes.host import LaneHost
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

LEAST, MOST = 2, 12
_TEXT_HEIGHT, _LIST_HEIGHT = 96, 144


@dataclass(frozen=True)
class _Model:
    endpoint_id: str
    model: str
    name: str


class SeveralModelsDialog(LaneForm):
    """Begins with what is written for a new chat. Stays open until the chats have begun, or says why not."""

    def __init__(self, host: LaneHost, engine: EngineFacts, drafts: Drafts) -> None:
        title = tr("Send to several models or agents")
        super().__init__("lane_models_dialog", title, (tr("Start"), "lane_models_go"), host.window)
        self._host, self._drafts, self._engine = host, drafts, engine
        self._files = drafts.files(NEW_CHAT)
        self._named = False
        self.text = QPlainTextEdit(drafts.text(NEW_CHAT), self)
        self.text.setObjectName("lane_models_text")
        self.text.setAccessibleName(tr("Prompt"))
        self.text.setPlaceholderText(tr("What should each of them do?"))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(theme().px(_TEXT_HEIGHT))
        self._with = self.words("lane_models_files", "caption")
        say(
            self._with,
            tr("With {files}: {names}", files=count(len(self._files), "file"), names=self._file_names())
            if self._files
            else "",
        )
        self.list = BoxList("lane_models_list", tr("Models and agents"), self)
        self.list.setFixedHeight(theme().px(_LIST_HEIGHT))
        self._fill(engine)
        self._few = self.words("lane_models_words", "caption")
        self.name = QLineEdit(self)
        self.name.setObjectName("lane_models_name")
        self.name.setAccessibleName(tr("Name of the lanes"))
        self.name.setMaxLength(NAME_MAX_CHARS)
        self.base = ChoiceButton("lane_models_base", tr("Base"), self)
        self.add_field(tr("Prompt"), self.text, self._with)
        self.add_field(tr("Models and agents"), self.list, self._few)
        self.add_field(tr("Name of the lanes"), self.name)
        self.add_field(tr("Base"), self.base)
        self.text.textChanged.connect(self._on_text)
        self.name.textEdited.connect(self._on_name)
        self.list.itemChanged.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self._on_text()
        self.text.setFocus()
        bases = progress(LaneBasesListed, self._take_bases)
        host.requests.ask(LoadLaneBases(), self, bases, failed=self._on_failed)
        host.requests.ask(ListGuests(), self, answer(GuestsListed, self._fill_again))
        for endpoint in engine.endpoints():
            if not endpoint.is_demo and not engine.lists_models(endpoint.id) and not engine.key_missing(endpoint.id):
                host.requests.ask(CheckEndpoint(endpoint=endpoint), self, answer(EndpointChecked, self._fill_again))

    def _take_bases(self, update: LaneBasesListed) -> None:
        self.base.set_items(base_items(update.bases))
        self._refresh()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    # what is shown

    def _fill(self, engine: EngineFacts) -> None:
        """Every model that can be used now, the one of new chats ticked."""
        chosen = engine.endpoint(engine.default_endpoint)
        for endpoint in engine.endpoints():
            if engine.key_missing(endpoint.id):
                continue
            for model in engine.models(endpoint):
                name = display_text(model.name or model.id)
                item = QListWidgetItem(f"{name}  ·  {display_text(endpoint.label)}", self.list)
                item.setData(Qt.ItemDataRole.UserRole, _Model(endpoint.id, model.id, name))
                first = chosen is not None and (endpoint.id, model.id) == (chosen.id, chosen.default_model)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked if first else Qt.CheckState.Unchecked)

        for guest in engine.guests or ():
            if engine.guest_missing(guest.id):
                continue
            name = engine.guest_label(guest.id)
            item = QListWidgetItem(tr("{name}  ·  External agent", name=name), self.list)
            item.setData(Qt.ItemDataRole.UserRole, _Model(guest_endpoint(guest.id), "", name))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)

    def _fill_again(self, _told: GuestsListed | EndpointChecked) -> None:
        """More is known of models or agents now; what was ticked stays."""
        ticked = set(self._chosen())
        self.list.clear()
        self._fill(self._engine)
        for row in range(self.list.count()):
            one = self.list.item(row)
            on = one.data(Qt.ItemDataRole.UserRole) in ticked
            one.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self._refresh()

    def _refresh(self) -> None:
        models = self._chosen()
        fewer = tr("Choose at least {number}.", number=LEAST) if len(models) < LEAST else ""
        many = tr("At most {number} at once.", number=MOST) if len(models) > MOST else ""
        known = self.list.count() < LEAST and tr("There is one model only. Add another in Settings › Providers & keys.")
        say(self._few, known or fewer or many)
        problem = fewer or many or ("" if self.text.toPlainText().strip() else tr("Write what should be done."))
        try:
            checked_name(self.name.text())
        except LaneError as error:
            problem = problem or str(error)
        self.set_go(
            tr("Start in {number} lanes", number=len(models)) if not fewer else tr("Start"),
            enabled=not problem,
            why=problem,
        )
        self.fit()

    def _chosen(self) -> list[_Model]:
        items = (self.list.item(row) for row in range(self.list.count()))
        return [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _file_names(self) -> str:
        return ", ".join(display_text(file.logical_name) for file in self._files)

    # what a person does

    def _on_text(self) -> None:
        if not self._named:
            self.name.setText(lane_name(self.text.toPlainText()))
        self._refresh()

    def _on_name(self) -> None:
        self._named = True
        self._refresh()

    def _on_submitted(self) -> None:
        if self.working or not self.go.isEnabled():
            return
        begins = "" if self.base.value == DEFAULT else self.base.value
        command = CreateLanesForModels(
            slots=self._slots(),
            text=self.text.toPlainText(),
            attachments=tuple(file.logical_name for file in self._files),
            base=begins,
            mode=self._engine.settings.default_mode,
        )
        self.set_working(True, tr("Starting…"))
        self._host.requests.ask(command, self, answer(LanesLaunched, self._finish), failed=self._on_failed)

    def _slots(self) -> tuple[LaneSlot, ...]:
        slots: list[LaneSlot] = []
        for one in self._chosen():
            wanted = f"{self.name.text().strip()[: NAME_MAX_CHARS - 28]} {one.name}"[: NAME_MAX_CHARS - 3].strip()
            taken = {slot.name.casefold() for slot in slots}
            names = (wanted, *(f"{wanted} {number}" for number in range(2, MOST + 2)))
            name = next(name for name in names if name.casefold() not in taken)
            slots.append(
                LaneSlot(
                    lane_id=new_lane_id(),
                    session_id=new_session_id(),
                    name=name,
                    endpoint_id=one.endpoint_id,
                    model=one.model,
                )
            )
        return tuple(slots)

    def _finish(self, update: LanesLaunched) -> None:
        self.accept()
        if update.session_ids:
            self._drafts.forget(NEW_CHAT)
            self._host.show_launched(update.session_ids[0])
        tell_launched(self._host, update)


def tell_launched(host: LaneHost, update: LanesLaunched) -> None:
    """Say in one message what began and what did not."""
    begun = (
        tr("Begun in {lanes}.", lanes=count(len(update.session_ids), "lane"))
        if update.session_ids
        else tr("Nothing was begun.")
    )
    failed = " ".join(f"{name}: {why}" for name, why in update.failed)
    host.note(" ".join(part for part in (begun, failed, *update.notices) if part), error=bool(failed))
