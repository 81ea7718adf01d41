"""About: the version, whether there is a newer one, and what an installed program is made of with every licence."""

import platform
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

import desktop
from desktop.config.folders import product_folders, resource_folder
from desktop.config.signature import signed_by
from desktop.domain.display.text import display_text
from desktop.domain.releases.updates import ReleasesStand
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.settings.updates import UpdateFields
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

NOTICES, BILL = "NOTICES.html", "banksman.cdx.json"
_FROM_SOURCE = tr("This one runs from its source: the licences are those of its packages.")
_INSTALLED = tr("Licences are shown in your browser; the bill of materials is a CycloneDX file.")


class AboutPage(SettingsPage):
    """`folder`: where an installer puts the licences and the bill; None: that of this program. Newer versions are
    there only where the build says who is asked for them."""

    name, title, icon = "about", tr("About", context="Banksman"), "info"

    def __init__(
        self, saver: SettingsSaver, requests: Requests, clock: Clock, parent: QWidget, folder: Path | None = None
    ) -> None:
        super().__init__(parent)
        folder = folder or resource_folder() / "notices"
        folders = product_folders()
        self._facts = (
            tr("Banksman {version}", version=desktop.__version__),
            tr(
                "Python {python}, Qt {qt}, {system} {machine}",
                python=platform.python_version(),
                qt=qVersion(),
                system=platform.system(),
                machine=platform.machine(),
            ),
            tr("Settings: {file}", file=folders.settings_file),
            tr("Chats and lanes: {folder}", folder=folders.data),
            tr("Logs: {folder}", folder=folders.logs),
        )
        facts = plain_label(self.contents, "plain", "settings_about_facts")
        facts.setWordWrap(True)
        facts.setText("\n".join(self._facts))
        self.column.addWidget(facts)
        self._buttons = QHBoxLayout()
        set_gaps(self._buttons, spacing=SPACE_2)
        copy = push_button(tr("Copy"), "settings_about_copy", self.contents)
        copy.clicked.connect(self._copy)
        self._buttons.addWidget(copy)
        there = [(file, folder / file) for file in (NOTICES, BILL) if (folder / file).is_file()]
        for file, place in there:
            title, name = (tr("Licences"), "licences") if file == NOTICES else (tr("Bill of materials"), "bill")
            button = push_button(title, f"settings_about_{name}", self.contents)
            button.clicked.connect(partial(self._open, place))
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)
        self.column.addLayout(self._buttons)
        said = plain_label(self.contents, "muted", "settings_about_said")
        said.setWordWrap(True)
        said.setText(f"{_INSTALLED} {_signature(folder)}" if there else _FROM_SOURCE)
        self.column.addWidget(said)
        if saver.facts.releases is not None:
            updates = UpdateFields(saver, requests, clock, self.contents)
            self.column.addWidget(updates)
            self.hearing.on(ReleasesStand, updates.take)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._facts))

    def _open(self, place: Path, _checked: bool = False) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(place)))


def _signature(folder: Path) -> str:
    by = signed_by(folder)
    return tr("This build is signed by {by}.", by=display_text(by)) if by else tr("This build is not signed.")
