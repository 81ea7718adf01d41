"""What a start leaves out: modules that are slow to import and that the first request does not need."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import environment
from tests.fakes.fake_model_api import FakeModelApi, text_turn

PARSERS = frozenset({"markdown_it", "sqlglot", "tree_sitter", "tree_sitter_bash", "tomlkit", "pygments", "yaml"})
CLIENTS = frozenset({"anthropic", "httpx2", "httpcore2", "asyncpg", "pymysql", "keyring", "genai_prices"})
WINDOW = frozenset({"PySide6", "qasync", "PIL"})
GUESTS = frozenset({"mcp", "mcp_types", "jsonschema", "html_to_markdown", "anyio", "starlette", "uvicorn"})
HEAVY = PARSERS | CLIENTS | WINDOW | {"psutil", "git", "gitdb", "smmap", "cryptography"}
LATE_PARTS = (
    "desktop.agent.hooks.commands",
    "desktop.policy.hooks.imports",
    "desktop.agent.mcp.late_build",
    "desktop.agent.mcp.hub",
    "desktop.services.mcp.",
    "desktop.store.mcp.",
    "desktop.policy.mcp.arguments",
    "desktop.policy.mcp.schemas",
    "desktop.services.web.",
    "desktop.services.releases.look",
    "desktop.services.releases.manifest",
    "desktop.services.egress.client",
    "desktop.services.egress.pinned",
    "desktop.cli.acp",
    "desktop.agent.acp.connection",
    "desktop.services.acp.",
)
MODULES = "\nimport json, sys\nprint()\nprint(json.dumps(sorted(sys.modules)))"
FIRST_REQUEST = """
import json, sys
from desktop.__main__ import main
status = main(sys.argv[1:])
print()
print(json.dumps(sorted(sys.modules)))
sys.exit(status)
"""


JUDGEMENT_LOADED = """
import sys, threading
from pathlib import Path
from desktop.__main__ import main
told = Path(sys.argv.pop(1))

def look(event, given):
    if event == "exec" and given[0].co_filename.endswith("policy/shell/assess.py"):
        loading.append(threading.current_thread())

def tell():
    while "desktop.policy.display_warn" not in sys.modules:
        done.wait(0.01)
    told.write_text(str(loading[0] is threading.main_thread()))

loading, done = [], threading.Event()
sys.addaudithook(look)
threading.Thread(target=tell, daemon=True).start()
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


def modules_of(code: str, home: Path, folder: Path, *words: str) -> set[str]:
    """The modules that a child has loaded in the end; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env=environment(home, QT_QPA_PLATFORM="offscreen"), stdin=subprocess.DEVNULL, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return set(json.loads(done.stdout.decode().splitlines()[-1]))


def heavy(loaded: set[str]) -> set[str]:
    """The slow packages among these modules."""
    return {name.partition(".")[0] for name in loaded} & HEAVY


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_version_and_the_help_load_nothing_but_themselves(tmp_path: Path, word: str) -> None:
    loaded = modules_of(FIRST_REQUEST, tmp_path, tmp_path, word)
    assert not heavy(loaded)
    assert not {"pydantic", "asyncio"} & loaded


@pytest.mark.parametrize("kind", ["history", "path"])
def test_a_check_loads_no_parser_that_it_does_not_use(tmp_path: Path, kind: str) -> None:
    assert not heavy(modules_of(FIRST_REQUEST, tmp_path, tmp_path, "check", kind))


def test_a_run_tries_the_sandbox_without_the_engine(tmp_path: Path) -> None:
    loaded = modules_of("import desktop.cli.run" + MODULES, tmp_path, tmp_path)
    assert "desktop.services.processes.sandbox.sandbox" in loaded
    assert not {"desktop.agent.engine", "desktop.domain.events", "desktop.domain.commands"} & loaded
    assert not heavy(loaded)


def test_the_engine_and_its_tools_are_there_without_parsers_and_clients(tmp_path: Path) -> None:
    code = "import desktop.cli.headless.task\nfrom desktop.tools.registry import discover\ndiscover()" + MODULES
    loaded = modules_of(code, tmp_path, tmp_path)
    assert "desktop.agent.engine" in loaded
    assert not heavy(loaded)
    assert not {"desktop.policy.shell.assess", "desktop.policy.sql.assess", "desktop.domain.display.surfaces"} & loaded
    assert "desktop.domain.display.marks" not in loaded
    assert not [name for name in loaded if name.startswith("desktop.services.databases.") and name.endswith(".engine")]


@pytest.mark.parametrize("mode", ["edit", "full-auto"])
def test_the_first_request_needs_the_client_and_no_parser(tmp_path: Path, model_api: FakeModelApi, mode: str) -> None:
    repository = make_repository(tmp_path / "shop")
    model_api.script(text_turn("Hello."))
    words = ["run", "Greet", "--mode", mode, "--without-sandbox", "--endpoint", model_api.url]
    loaded = modules_of(FIRST_REQUEST, tmp_path / "home", repository, *words)
    assert "httpx2" in loaded
    trial = {"psutil"}  # ends a command of the sandbox's trial, which a slow machine begins before the first request
    judgement = {"tree_sitter", "tree_sitter_bash"}  # is loaded beside the answer, if that takes long enough
    assert not {name.partition(".")[0] for name in loaded} & GUESTS - {"anyio"}
    assert not [name for name in loaded if name.startswith(LATE_PARTS)]
    assert heavy(loaded) - trial - judgement <= CLIENTS - {"anthropic", "asyncpg", "pymysql", "keyring"}


@pytest.mark.skipif(sys.platform == "win32", reason="paths of code are told with slashes")
def test_the_first_command_finds_its_judgement_loaded_by_another_thread(
    tmp_path: Path, model_api: FakeModelApi
) -> None:
    repository, told = make_repository(tmp_path / "shop"), tmp_path / "told"
    model_api.script(text_turn("Hello.", fault="hold"))
    words = [str(told), "run", "Greet", "--endpoint", model_api.url]
    child = subprocess.Popen(
        [sys.executable, "-c", JUDGEMENT_LOADED, *words],
        cwd=repository, env=environment(tmp_path / "home"), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while child.poll() is None and not (told.exists() and told.read_text()):
            time.sleep(0.02)
        assert told.read_text() == "False"
        model_api.go_on()
        assert child.wait(25) == 0
    finally:
        child.kill()
        child.wait()


def test_the_window_is_imported_without_the_engine_and_the_settings_dialog(tmp_path: Path) -> None:
    loaded = modules_of("import desktop.app" + MODULES, tmp_path, tmp_path)
    assert "desktop.ui.window.main_window" in loaded
    assert not {"desktop.agent.engine", "desktop.ui.settings.dialog"} & loaded
    behind = {"desktop.program", "desktop.bridge.bridge", "desktop.ui.window.contents", "desktop.ui.chats.page"}
    assert not behind & loaded
    assert not {"asyncio", "qasync", "desktop.domain.events", "desktop.domain.commands"} & loaded
    assert not heavy(loaded) & (CLIENTS | PARSERS - {"pygments"} | {"PIL", "psutil"})


def test_the_window_is_imported_by_python_itself(tmp_path: Path) -> None:
    code = """
import builtins
from desktop.__main__ import window_program
before = builtins.__import__
window_program()
assert builtins.__import__ is before
"""
    assert "desktop.ui.window.main_window" in modules_of(code + MODULES, tmp_path, tmp_path)


def test_an_event_is_recorded_without_the_validator_of_all_kinds(tmp_path: Path) -> None:
    code = """
from datetime import UTC, datetime
from desktop.domain.events import Compacted, Envelope, TitleChanged
Envelope(event_id="a", session_id="b", seq=0, parent_id=None, at=datetime.now(UTC),
         event=TitleChanged(title="x", by="person"))
assert TitleChanged.__pydantic_complete__ and not Compacted.__pydantic_complete__
"""
    assert "desktop.domain.events" in modules_of(code + MODULES, tmp_path, tmp_path)
