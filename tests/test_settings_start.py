"""A window that an editor opens for a key shows where keys are given."""

import subprocess
import sys
from pathlib import Path

from tests.cli.running import ROOT, environment

WAIT_S = 60
OPENED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog, QListWidget
from desktop.ui.window.front.application import Application
from desktop.app import first_window, _parse
from desktop.config.folders import product_folders
from desktop.config.settings_file import load_settings
from desktop.program import Program
from desktop.ui.theme.stylesheet import install_theme

app = Application(sys.argv[:1])
app.setQuitOnLastWindowClosed(False)
install_theme(app)
folders, start = product_folders(), _parse(["--settings"])
window = first_window(start, folders, load_settings(folders.settings_file))
window.show()
program = Program(app, start, folders, window)
list(program.filling())

def look():
    dialog = window.findChild(QDialog, "settings_dialog")
    if dialog is not None and dialog.isVisible():
        print(dialog.findChild(QListWidget).currentItem().text(), flush=True)
        dialog.reject()
        window.close()

timer = QTimer(interval=50)
timer.timeout.connect(look)
timer.start()
sys.exit(program.run_to_its_end())
"""


def test_the_page_of_keys_is_open_once_the_settings_are_known(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", QT_QPA_PLATFORM="offscreen")
    done = subprocess.run(
        [sys.executable, "-c", OPENED], cwd=ROOT, env=env, capture_output=True, text=True, timeout=WAIT_S
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "Providers & keys"


def test_the_window_speaks_the_language_of_the_settings(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", QT_QPA_PLATFORM="offscreen", LANGUAGE="en")
    seen = "from desktop.__main__ import window_program; window_program(); from desktop.language import tr, worn; "
    code = seen + "print(worn(), tr('Settings…'))"
    settings = tmp_path / "home" / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[appearance]\nlanguage = "de"\n')
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["de", "Einstellungen…"]
    settings.unlink()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "Settings…"]
