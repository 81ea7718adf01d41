"""The credential card: a secret that a person types for an agent, which gets a name for it alone."""

from pydantic import SecretStr
from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from desktop.domain.core.update import Update
from desktop.domain.credentials.commands import ChooseCredential, LookAtKeyring, StoreCredential
from desktop.domain.credentials.names import name_problem
from desktop.domain.credentials.updates import KeyringLooked
from desktop.domain.credentials.values import Kept, value_problem
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.gate.pending import CredentialRequest
from desktop.language import tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.text.keyring_words import keyring_words
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say

_CHOSEN = tr("A secret that is kept is chosen above.")
_KEYS = tr("Ctrl+⏎ allow  ·  Ctrl+⌫ decline")
USE = tr(
    "The agent gets a name for the secret, never its value. Every use is a card of its own; a command that is given it "
    "can pass it on."
)
TAINTED = tr("This chat has read {0}. Give a secret only if you still trust what it does.")
KEPT: tuple[tuple[Kept, str], ...] = (
    ("closed", tr("Until Banksman closes")),
    ("day", tr("A day")),
    ("month", tr("30 days")),
    ("removed", tr("Until removed")),
)


class CredentialCard(InputCard):
    """What is typed leaves in one command, and the field is emptied whenever the card goes."""

    prefix = "credential"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, CredentialRequest):
            raise TypeError(f"A credential card cannot show a {request.kind}.")
        super().__init__(context, parent)
        self._request = request
        self._kept: Kept = "closed"
        self._of_new: list[QWidget] = []
        self._say_what()
        self.choice = self._choice()
        self.value = self._field(tr("Secret"), "field", "")
        self.value.setEchoMode(QLineEdit.EchoMode.Password)
        self.value.setPlaceholderText(display_text(request.placeholder) or tr("Paste or type it here"))
        self.provider = self._field(tr("For"), "provider", request.provider)
        self.names = self._field(tr("May be given as"), "names", " ".join(request.names))
        self.names.setPlaceholderText(tr("any variable"))
        self.hosts = self._field(tr("May be sent to"), "hosts", " ".join(request.hosts))
        self.hosts.setPlaceholderText(tr("no host"))
        self._add_label(tr("Kept"))
        self._keyless = False
        self._times = Segmented("credential_kept", tr("How long it is kept"), KEPT, self.body.contents, compact=True)
        self._times.chosen.connect(self._keep)
        self.body.column.addWidget(self._times)
        self._of_new.append(self._times)
        self._place = plain_label(self.body.contents, "caption", "credential_place", role="warning")
        self.body.column.addWidget(self._place)
        say(self._place, "")
        self._build_buttons()
        self._times.set_value(self._kept)
        for field in (self.value, self.provider, self.names, self.hosts):
            field.textChanged.connect(self._on_typed)
        self.refresh_enabled()
        wanted = LookAtKeyring(input_id=context.item.input_id)
        QTimer.singleShot(0, self, lambda: self.wanted.emit(wanted))

    def approve(self) -> None:
        """Store what was typed."""
        if not self.can_answer or self._footer.opened >= 0:
            return
        if chosen := self._chosen:
            say(self.error, "")
            self.set_sending(self._store)
            session_id, input_id = self.item.session_id, self.item.input_id
            self.wanted.emit(ChooseCredential(session_id=session_id, input_id=input_id, secret_id=chosen))
            return
        names = tuple(dict.fromkeys(self.names.text().split()))
        if problem := secret_problem(self.provider.text(), self.value.text(), names):
            say(self.hint, problem)
            self.reshaped.emit()
            return
        value = SecretStr(self.value.text())
        self.value.clear()
        say(self.error, "")
        say(self.hint, "")
        self.set_sending(self._store)
        self.wanted.emit(
            StoreCredential(
                session_id=self.item.session_id,
                input_id=self.item.input_id,
                value=value,
                provider=self.provider.text().strip(),
                names=names,
                hosts=tuple(dict.fromkeys(self.hosts.text().split())),
                kept=self._kept,
            )
        )

    def choose(self, number: int) -> None:
        """1 to 4 say how long it is kept."""
        if number <= len(KEPT):
            self._choose(KEPT[number - 1][0])

    def go_back(self) -> bool:
        """Close the decline row."""
        return self._footer.close()

    def take(self, update: Update) -> None:
        """Whether there is a keyring."""
        if isinstance(update, KeyringLooked):
            say(
                self._place,
                display_text(keyring_words(update.problem, tr("The secret is kept until Banksman closes."))),
            )
            self._keyless = bool(update.problem)
            offer_times(self._times, keyless=self._keyless)
            if self._keyless:
                self._keep("closed")
            self.content_changed()

    def refuse(self, sentence: str) -> None:
        """It was not kept; it must be typed again."""
        self.fail(sentence)

    def refresh_enabled(self) -> None:
        """Nothing is stored that was not typed."""
        super().refresh_enabled()
        chosen = bool(self._chosen)
        self._store.setText(tr("Use this secret") if chosen else tr("Store secret"))
        set_off(self._store, self.why_not or ("" if chosen or self.value.text().strip() else tr("Type the secret.")))
        set_off(self.choice, self.why_not)
        for part in (self.value, self.provider, self.names, self.hosts, self._times):
            set_off(part, self.why_not or (_CHOSEN if chosen else ""))

    def look(self) -> CardLook:
        """Which row is open, and which secret is chosen. What was typed is not kept."""
        return CardLook(page=self.choice.currentIndex(), row=self._footer.opened)

    def restore(self, look: CardLook) -> None:
        """Open the same row, and choose the same."""
        self.choice.setCurrentIndex(look.page)
        self._footer.reopen(look.row)

    def tab_chain(self) -> list[QWidget]:
        """The fields, then the buttons."""
        times = self._times.findChildren(QPushButton)
        return [
            self.choice,
            self.value,
            self.provider,
            self.names,
            self.hosts,
            *times,
            *self._row_buttons,
            self._decline_row.reason,
        ]

    def hideEvent(self, event: QHideEvent) -> None:
        """Forget what was typed, when the card closes or another takes its place."""
        if not event.spontaneous():
            self.value.clear()
        super().hideEvent(event)

    def _say_what(self) -> None:
        request, add = self._request, self._add_text
        if request.tainted:
            add("credential_taint", TAINTED.format(display_text(request.tainted[0])), role="warning")
        if request.skill:
            what = tr(
                "The skill {skill} wants its secret “{secret}”, as {names}.",
                skill=request.skill,
                secret=request.secret,
                names=" ".join(request.names),
            )
            add(
                "credential_skill",
                display_text(tr("{what} You choose it once; every use still asks you.", what=what)),
                kind="strong",
            )
        if request.label:
            add("credential_label", display_text(request.label), kind="strong")
        if request.why:
            add("credential_why", f"{display_text(request.asker)}: {prose_text(request.why)}", kind="muted")
        add("credential_use", USE, kind="caption")

    def _choice(self) -> QComboBox:
        """A secret that is kept may be the one that a skill wants."""
        choice = QComboBox(self.body.contents)
        choice.setObjectName("credential_choice")
        choice.setAccessibleName(tr("A new secret, or one that is kept"))
        choice.addItem(tr("A new secret"), "")
        titles = [kept.title for kept in self._request.kept]
        for kept in self._request.kept:
            apart = f" · secret:{kept.secret_id}" if titles.count(kept.title) > 1 else ""
            choice.addItem(display_text(f"{kept.title}{apart}"), kept.secret_id)
        choice.setVisible(bool(self._request.kept))
        choice.currentIndexChanged.connect(self._on_chosen)
        self.body.column.addWidget(choice)
        return choice

    @property
    def _chosen(self) -> str:
        """The id of the secret that was chosen, "" for a new one."""
        return str(self.choice.currentData() or "")

    def _on_chosen(self, _index: int) -> None:
        """What belongs to a new secret is there for a new one alone."""
        self.value.clear()
        for widget in self._of_new:
            widget.setVisible(not self._chosen)
        self.refresh_enabled()
        self.content_changed()

    def _add_text(self, name: str, text: str, *, kind: str = "", role: str = "") -> None:
        label = plain_label(self.body.contents, kind, name, role=role)
        label.setText(text)
        self.body.column.addWidget(label)

    def _add_label(self, text: str) -> QLabel:
        label = plain_label(self.body.contents, "caption", wrap=False)
        label.setText(text)
        self.body.column.addWidget(label)
        self._of_new.append(label)
        return label

    def _field(self, label: str, name: str, text: str) -> QLineEdit:
        field = QLineEdit(self.body.contents)
        field.setObjectName(f"credential_{name}")
        field.setAccessibleName(label)
        field.setText(display_text(text))
        field.returnPressed.connect(self.approve)
        self._add_label(label).setBuddy(field)
        self.body.column.addWidget(field)
        self._of_new.append(field)
        return field

    def _build_buttons(self) -> None:
        self._store = self.button(tr("Store secret"), "store", "primary")
        self._store.clicked.connect(self.approve)
        decline = self.button(tr("Decline…"), "decline", "danger")
        self._row_buttons = [self._store, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _KEYS))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)
        decline.clicked.connect(lambda: self._footer.open(self._decline_row, self._decline_row.reason))

    def _keep(self, kept: str) -> None:
        self._kept = next(one for one, _words in KEPT if one == kept)
        self._times.set_value(kept)

    def _choose(self, kept: str) -> None:
        """By its key, which does nothing where the choice is off."""
        if kept == "closed" or not self._keyless:
            self._keep(kept)

    def _on_typed(self, _text: str) -> None:
        say(self.hint, "")
        self.refresh_enabled()


def offer_times(times: Segmented, *, keyless: bool) -> None:
    """Only the shortest without a keyring, which alone keeps a secret longer."""
    for kept, _words in KEPT:
        on = kept == "closed" or not keyless
        times.set_enabled(kept, on, tr("Without a keyring it is kept until Banksman closes."))


def secret_problem(provider: str, value: str, names: tuple[str, ...]) -> str:
    """Why a secret cannot be kept like this, "" when it can."""
    if not provider.strip():
        return tr("Say what the secret is for.")
    wrong = next((problem for name in names if (problem := name_problem(name))), "")
    return f"{display_text(wrong)}." if wrong else value_problem(value)
