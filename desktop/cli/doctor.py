"""`banksman doctor`: what the program needs of this computer, tried, with what helps where something is missing."""

import platform

import desktop
from desktop.cli.checks import LABELS, findings
from desktop.config.folders import Folders, product_folders
from desktop.config.releases import release_state
from desktop.config.settings_file import load_settings
from desktop.config.signature import signature_state
from desktop.domain.core.errors import SettingsError, StartError

USAGE = """\
usage: banksman doctor

Tries what Banksman needs of this computer and says what helps where something is missing. Nothing is changed.
"""


def main(argv: list[str]) -> int:
    """Exit status 0 when the program can work here, also where something is missing that it goes on without.

    Raises:
        StartError: it was given words that it does not take.
    """
    if argv[:1] in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    if argv:
        raise StartError(f"'banksman doctor' takes no {argv[0]!r}. Give it no words.")
    folders = product_folders()
    print(f"Banksman {desktop.__version__} on {platform.platform()}, Python {platform.python_version()}")
    print(f"Settings: {folders.settings_file}\nData: {folders.data}\nLogs: {folders.logs}")
    print(f"Updates: {_updates(folders)}\nBuild: {signature_state()}\n")
    counts = dict.fromkeys(LABELS, 0)
    for found in findings():
        counts[found.outcome] += 1
        print(f"{LABELS[found.outcome]}  {found.name}: {found.text}", flush=True)
        if found.help:
            print(f"          {found.help}", flush=True)
    print(f"\n{counts['ok']} work, {counts['missing']} are missing, {counts['FAILED']} failed.")
    return 1 if counts["FAILED"] else 0


def _updates(folders: Folders) -> str:
    try:
        settings = load_settings(folders.settings_file)
    except SettingsError as error:
        return f"not looked for: {error}"
    return release_state(switched_on=settings.look_for_releases)
