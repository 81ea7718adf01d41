"""Kinds of model services: found as files, and one more is one more file."""

import subprocess
import sys
from pathlib import Path

import pytest

from desktop.config.settings import ANTHROPIC_ENDPOINT, DEMO_ENDPOINT, Endpoint
from desktop.config.settings_file import load_settings
from desktop.domain.core.errors import CommandError, SettingsError, StartError
from desktop.domain.core.usage import Usage
from desktop.providers.builtin.gemini import speaking_chat
from desktop.providers.kinds import builtin_kinds, discover, kind_named, kind_of, own_addresses, request_cost
from tests.agent.rig import folders_below, make_repository
from tests.cli.running import environment

PARROT = '''
"""A model that says again what it was told."""

from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.domain.updates import ModelInfo
from desktop.providers.base import TextDelta
from desktop.providers.kinds import ProviderKind


class Parrot:
    def __init__(self, endpoint):
        self.endpoint = endpoint

    async def stream(self, request):
        text = f"{self.endpoint.base_url} says {request.messages[-1]['content'][0]['text'].split()[-1]}"
        yield TextDelta(part_index=0, text=text)
        yield AssistantMessage(parts=({"type": "text", "text": text},), stop_reason="end_turn",
                               usage=Usage(input=1, output=1), model=request.model)

    async def models(self):
        return (ModelInfo(id="grey"),)

    async def close(self):
        pass


KIND = ProviderKind(
    name="parrot", label="Parrot", make=lambda endpoint, key, pace_s: Parrot(endpoint), free=True, window=50_000
)
'''
ENDPOINT = """default_endpoint = "bird"

[[endpoints]]
id = "bird"
label = "Bird"
kind = "parrot"
base_url = "https://cage.example/v1"
auth = "none"
default_model = "grey"
"""
WITH_ONE_MORE = """
import sys
from desktop.providers import builtin
builtin.__path__.append(sys.argv.pop(1))
from desktop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_kind_in_a_file_of_its_own_answers_a_turn(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "parrot.py").write_text(PARROT)
    settings = folders_below(tmp_path / "home").settings_file
    settings.parent.mkdir(parents=True)
    settings.write_text(ENDPOINT)
    done = subprocess.run(
        [sys.executable, "-c", WITH_ONE_MORE, tmp_path / "more", "run", "Say hello", "--without-sandbox"],
        cwd=make_repository(tmp_path / "shop"), env=environment(tmp_path / "home"), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "https://cage.example/v1 says hello"), done.stderr


def test_a_kind_of_the_settings_that_there_is_not_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(ENDPOINT)
    with pytest.raises(SettingsError, match=r"line 6: endpoints\[0\]\.kind: .*no kind 'parrot' .*only anthropic,"):
        load_settings(file, own_addresses())
    assert load_settings(file).endpoints[0].kind == "parrot"


def test_the_vendor_alone_has_an_address_of_its_own_and_every_other_service_names_one(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    row = '[[endpoints]]\nid = "one"\nlabel = "One"\nkind = "{}"\n'
    file.write_text(row.format("anthropic"))
    assert load_settings(file, own_addresses()).endpoints[0].base_url == "https://api.anthropic.com"
    file.write_text(row.format("compatible"))
    with pytest.raises(SettingsError, match=r"endpoints\[0\]: .*'compatible' has no address of its own"):
        load_settings(file, own_addresses())
    file.write_text(row.format("parrot"))
    with pytest.raises(SettingsError, match="kind 'parrot' has no address of its own"):
        load_settings(file, own_addresses() | {"parrot": ""})
    assert load_settings(file, own_addresses() | {"parrot": "https://cage.example"}).endpoints[0].base_url == (
        "https://cage.example"
    )


def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(CommandError, match=r"no kind 'parrot' .* anthropic, compatible, demo"):
        kind_named("parrot")


def test_only_the_vendor_is_priced_and_the_demo_costs_nothing() -> None:
    used, model = Usage(input=1_000_000, output=0), "claude-haiku-4-5"
    vendor = ANTHROPIC_ENDPOINT
    local = Endpoint(id="b", label="B", kind="compatible", base_url="http://127.0.0.1:1")
    assert request_cost(vendor, model, used) == 1_000_000
    assert request_cost(local, model, used) is None
    assert request_cost(DEMO_ENDPOINT, "demo", used) == 0
    assert request_cost(None, model, used) is None


def test_the_vendor_caches_and_the_demo_has_a_window_without_the_price_table() -> None:
    assert [name for name, kind in builtin_kinds().items() if kind.caches] == ["anthropic"]
    assert kind_of(DEMO_ENDPOINT).window_of("demo") == 200_000
    assert kind_named("compatible").window_of("claude-haiku-4-5") == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nothing_there", "odd.py: cannot be imported: ModuleNotFoundError"),
        ("KIND = 1", "odd.py: it must hold KIND"),
        ("from desktop.providers.builtin.demo import KIND", 'odd.py: the kind is named "demo"'),
    ],
)
def test_a_file_that_is_no_kind_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    package = tmp_path / f"kinds_{abs(hash(text))}"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "odd.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(StartError, match=told):
        discover(package.name)


def test_gemini_is_asked_by_chats_of_our_own_where_it_speaks_chat_completions() -> None:
    endpoint = Endpoint(id="g", label="G", kind="gemini", base_url=own_addresses()["gemini"])
    assert speaking_chat(endpoint).base_url == "https://generativelanguage.googleapis.com/v1beta/openai"
