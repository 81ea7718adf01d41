"""Settings, About: the version, and what an installer put beside the program."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

import desktop
from desktop.config.signature import FILE
from desktop.domain.releases.updates import ReleasesStand
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.settings.about import BILL, NOTICES, AboutPage
from desktop.ui.settings.saver import SettingsSaver
from tests.ui.shell_samples import NOW, Recorder, find

LEFT = Qt.MouseButton.LeftButton


class Browser(QWidget):
    """Stands where the system opens files."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[QUrl] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(url)


def said(page: AboutPage, name: str) -> str:
    label = find(page, name)
    assert isinstance(label, QLabel)
    return label.text()


def facts(parent: QWidget, releases: ReleasesStand | None = None) -> tuple[SettingsSaver, Requests, Clock]:
    """What a page is made with. `releases`: what the engine told of newer versions."""
    requests, known = Requests(Recorder()), EngineFacts()
    known.releases = releases
    return SettingsSaver(requests, known, parent), requests, lambda: NOW


def test_from_the_source_it_says_where_the_licences_are(qtbot: QtBot, tmp_path: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    page = AboutPage(*facts(parent), parent, tmp_path)
    assert said(page, "settings_about_facts").startswith(f"Banksman {desktop.__version__}")
    assert "runs from its source" in said(page, "settings_about_said")
    assert page.findChild(QWidget, "settings_about_licences") is None
    QTest.mouseClick(find(page, "settings_about_copy"), LEFT)
    assert QGuiApplication.clipboard().text() == said(page, "settings_about_facts")


def test_what_the_installer_put_there_is_opened(qtbot: QtBot, tmp_path: Path) -> None:
    for file in (NOTICES, BILL):
        (tmp_path / file).write_text("x")
    parent, browser = QWidget(), Browser()
    qtbot.addWidget(parent)
    qtbot.addWidget(browser)
    page = AboutPage(*facts(parent), parent, tmp_path)
    assert said(page, "settings_about_said").endswith("This build is not signed.")
    (tmp_path / FILE).write_text("GPG AB12")
    signed = AboutPage(*facts(parent), parent, tmp_path)
    assert said(signed, "settings_about_said").endswith("This build is signed by GPG AB12.")
    QDesktopServices.setUrlHandler("file", browser, "take")
    try:
        QTest.mouseClick(find(page, "settings_about_licences"), LEFT)
        QTest.mouseClick(find(page, "settings_about_bill"), LEFT)
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert [Path(url.toLocalFile()).name for url in browser.opened] == [NOTICES, BILL]
