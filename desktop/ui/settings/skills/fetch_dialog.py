"""FetchDialog: the address of a repository with skills, shown as it would be asked before anything is asked of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.skills.remote import CheckSkillAddress, FetchSkills, SkillAddressChecked, SkillsFetched
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_CHECK, _FETCH = tr("Check the address"), tr("Fetch it")
_ABOUT = tr(
    "Git fetches one commit over https, in the sandbox, with nobody's login. Nothing of it is run, and nothing is "
    "installed before you have looked at it."
)


class FetchDialog(LaneForm):
    """`fetched` carries what a commit holds; the dialog is closed then. Changing what was typed asks again."""

    fetched = Signal(SkillsFetched)

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__("skill_fetch", tr("Skills from a git address"), (_CHECK, "skill_fetch_go"), parent)
        self._requests = requests
        self._checked: SkillAddressChecked | None = None
        about = self.words("skill_fetch_about")
        say(about, _ABOUT)
        self.add_field("", about)
        self.address = self._line(tr("Address"), "address", "https://github.com/somebody/skills")
        self.branch = self._line(tr("Branch, tag or commit"), "branch", tr("what the repository begins with"))
        self.folder = self._line(tr("Folder in it"), "folder", tr("all of it"))
        self._host = self.words("skill_fetch_host", "strong")
        self._whole = self.words("skill_fetch_whole")
        self.add_field("", self._host, self._whole)
        self.submitted.connect(self._on_go)
        for line in (self.address, self.branch, self.folder):
            line.textChanged.connect(self._on_typed)
        self._on_typed()

    def _line(self, label: str, name: str, hint: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(f"skill_fetch_{name}")
        line.setAccessibleName(label)
        line.setPlaceholderText(hint)
        self.add_field(label, line)
        return line

    def _on_typed(self, _text: str = "") -> None:
        self._checked = None
        say(self._host, "")
        say(self._whole, "")
        self.fail("")
        self.set_go(_CHECK, enabled=bool(self.address.text().strip()), why=tr("Type an address first."))

    def _on_go(self) -> None:
        if self.working:
            return
        checked = self._checked
        if checked is None:
            self.set_working(True, tr("Checking…"))
            asked = CheckSkillAddress(address=self.address.text(), branch=self.branch.text(), folder=self.folder.text())
            self._requests.ask(asked, self, answer(SkillAddressChecked, self._on_checked), failed=self._on_failed)
        else:
            self.set_working(True, tr("Fetching…"))
            self._set_fields(enabled=False)
            fetch = FetchSkills(address=checked.address, branch=checked.branch, folder=checked.folder)
            self._requests.ask(fetch, self, answer(SkillsFetched, self._on_fetched), failed=self._on_failed)

    def _on_checked(self, checked: SkillAddressChecked) -> None:
        self.set_working(False)
        self._checked = checked
        host, written = checked.host, checked.sent_as
        words = tr("It will be fetched from {host}.", host=host)
        if written != host:
            words = tr("It will be fetched from {host}, written {written}.", host=host, written=written)
        say(self._host, display_text(words))
        parts = [checked.address, checked.branch or tr("its first branch"), checked.folder or tr("all folders")]
        say(self._whole, display_text(" · ".join(parts)))
        self.set_go(_FETCH, enabled=True)
        self.fit()

    def _on_fetched(self, fetched: SkillsFetched) -> None:
        self.fetched.emit(fetched)
        self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._set_fields(enabled=True)
        self.fail(failed.text)

    def _set_fields(self, *, enabled: bool) -> None:
        for line in (self.address, self.branch, self.folder):
            set_off(line, "" if enabled else UNDER_WAY)
