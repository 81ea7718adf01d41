"""Entry point of `banksman` and `python -m desktop`: a window, or one command of desktop/cli, loaded when needed."""

import builtins
import errno
import sys
from collections.abc import Sequence
from types import ModuleType

import desktop
from desktop.config.open_files import require_open_files
from desktop.config.standard_streams import cannot_write, forget, open_standard_streams
from desktop.domain.core.errors import BanksmanError, StartError
from desktop.loading import load

USAGE = """\
usage: banksman [PATH]                open the window, on the repository at PATH
       banksman demo [--auto] [--screens DIR]
       banksman run "TASK" [--repo PATH] [--mode plan|edit|full-auto] [--endpoint URL] [--json] …
       banksman acp [--in-checkout]          the agent of an editor; see banksman acp --help
       banksman check history|path
       banksman audit verify|export
       banksman export SESSION|--all FILE [--format jsonl|markdown|html] [--full]
       banksman handover [--since TIME] [--project ID] [--format markdown|html|json] [--out FILE]
       banksman import FILE
       banksman rules list|simulate|trust
       banksman doctor               what the program needs, tried, and what helps where it is missing
       banksman --selftest | --version | --help
"""

# Programs that this one starts: for the sandbox, which need nothing but the standard library, for pictures, for the
# demo's sample where there is no Python, and for agents of others.
INNER = {
    "--sandbox-launch": "desktop.services.processes.sandbox.launcher",
    "--sandbox-overlay": "desktop.services.processes.sandbox.overlay",
    "--sandbox-escapes": "desktop.services.processes.sandbox.escapes",
    "--sandbox-relay": "desktop.services.egress.relay",
    "--sandbox-victim": "desktop.services.processes.sandbox.victim",
    "--picture-helper": "desktop.services.pictures.helper",
    "--sample-python": "desktop.services.sample_python",
    "mcp-bridge": "desktop.services.guests.mcp_bridge",
}
COMMANDS = {
    "run": "run",
    "acp": "acp",
    "check": "check",
    "audit": "audit",
    "rules": "rules",
    "export": "export",
    "handover": "handover",
    "import": "import_chats",
    "doctor": "doctor",
    "--selftest": "selftest",
}


def main(argv: list[str] | None = None) -> int:
    """Run the program; the exit status. Errors at start are one sentence on stderr and status 2; a standard output that
    takes nothing more is status 1."""
    open_standard_streams()
    try:
        status = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except OSError as error:
        if not cannot_write(error):
            raise
        forget(1)
        if error.errno != errno.EPIPE:
            sys.stderr.write(f"banksman: what was to be said could not be written: {error.strerror}.\n")
        return 1
    return status


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V"):
        sys.stdout.write(f"banksman {desktop.__version__}\n")
        return 0
    if first in ("--help", "-h"):
        sys.stdout.write(USAGE)
        return 0
    if first in INNER:
        return int(load(INNER[first]).main(arguments[1:]))
    try:
        if first in ("run", "acp") or first not in COMMANDS:
            require_open_files()
        if first in COMMANDS:
            command = load(f"desktop.cli.{COMMANDS[first]}")
            return int(command.main(arguments[1:]))
        if first.startswith("-"):
            sys.stderr.write(f"banksman: there is no option {first}. Try banksman --help.\n")
            return 2
        return int(window_program().main(arguments))
    except BanksmanError as error:
        sys.stderr.write(f"banksman: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


def window_program() -> ModuleType:
    """The part with the window; a library of the system that Qt lacks is told in one sentence.

    WORKAROUND(PySide6 6.11): it puts a way to import of its own in place of Python's, for switches that nothing here
    uses, and with it the window's modules take a sixth longer; remove when it does not.
    """
    python_import = builtins.__import__
    try:
        load("PySide6.QtCore")
        builtins.__import__ = python_import
        wear_language(load("PySide6.QtCore").QLocale.system().uiLanguages())
        return load("desktop.app")
    except ImportError as error:
        if ".so" not in str(error):
            raise
        raise StartError(str(load("desktop.config.qt_libraries").missing_words(str(error)))) from error


def wear_language(desktop_speaks: Sequence[str]) -> None:
    """Give the window's texts in the language of the settings or of the desktop, before anything of it is imported."""
    folders, language = load("desktop.config.folders"), load("desktop.language")
    file = folders.product_folders().settings_file
    code = load("desktop.config.settings_file").load_language(file, desktop_speaks)
    try:
        language.wear(code, folders.resource_folder() / "languages")
    except (OSError, ValueError) as error:
        name = language.LANGUAGES[code]
        sys.stderr.write(f"banksman: the texts of {name} cannot be read, English is used: {error}\n")


if __name__ == "__main__":
    sys.exit(main())
