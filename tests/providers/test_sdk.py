import json
import os
import subprocess
import sys
from typing import Any

import pytest

from desktop.providers.sdk import load_sdk, without_sdk_variables

LIMIT_S = 120
pytestmark = pytest.mark.timeout(LIMIT_S + 10)


def run(code: str) -> Any:
    """What a fresh interpreter prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_short_import_leaves_most_of_the_sdk_out() -> None:
    light, count, typed = run(
        "import json, sys\nfrom desktop.providers.sdk import load_sdk\nsdk = load_sdk()\n"
        "names = [n for n in sys.modules if n.split('.')[0] == 'anthropic']\n"
        "print(json.dumps([sdk.light, len(names), any(n.startswith('aiohttp') for n in sys.modules)]))"
    )
    assert light is True
    assert count < 400
    assert typed is False


def test_the_whole_sdk_can_still_be_used_afterwards() -> None:
    found = run(
        "import json\nfrom desktop.providers.sdk import load_sdk\nsdk = load_sdk()\n"
        "import anthropic\nfrom anthropic.types import Message, TextBlockParam\n"
        "from anthropic.types.message_create_params import MessageCreateParamsBase\n"
        "client = anthropic.AsyncAnthropic(api_key='x')\n"
        "print(json.dumps([isinstance(client, sdk.client), anthropic.AsyncAnthropic is sdk.client,\n"
        "  issubclass(anthropic.RateLimitError, sdk.status_error), 'text' in TextBlockParam.__annotations__,\n"
        "  'content' in Message.model_fields, 'model' in MessageCreateParamsBase.__annotations__,\n"
        "  type(client.messages).__name__]))"
    )
    assert found == [True, True, True, True, True, True, "AsyncMessages"]


def test_an_sdk_that_was_imported_before_is_taken_as_it_is() -> None:
    code = (
        "import json, anthropic\nfrom desktop.providers.sdk import load_sdk\n"
        "sdk = load_sdk()\nprint(json.dumps([sdk.light, sdk.client is anthropic.AsyncAnthropic]))"
    )
    assert run(code) == [False, True]


def test_when_the_short_import_fails_the_whole_sdk_is_imported() -> None:
    code = (
        "import json, sys\n"
        "sys.modules['anthropic._exceptions'] = None  # as if this SDK were laid out in another way\n"
        "import desktop.providers.sdk as own\n"
        "finders = len(sys.meta_path)\n"
        "sdk = own.load_sdk()\n"
        "import anthropic\n"
        "print(json.dumps([sdk.light, sdk.client is anthropic.AsyncAnthropic, len(sys.meta_path) == finders]))"
    )
    assert run(code) == [False, True, True]


def test_garbage_collection_is_on_again_and_no_finder_is_left() -> None:
    code = (
        "import gc, json, sys\nbefore = list(sys.meta_path)\nfrom desktop.providers.sdk import load_sdk\nload_sdk()\n"
        "print(json.dumps([gc.isenabled(), [type(f).__name__ for f in sys.meta_path if f not in before]]))"
    )
    assert run(code) == [True, []]


def test_importing_the_provider_does_not_import_the_sdk() -> None:
    code = (
        "import json, sys\nimport desktop.providers.anthropic as own\n"
        "print(json.dumps([name for name in sys.modules if name.split('.')[0] == 'anthropic']))"
    )
    assert run(code) == []


def test_the_sdk_is_loaded_once() -> None:
    assert load_sdk() is load_sdk()


def test_variables_are_hidden_only_for_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    with without_sdk_variables():
        assert "ANTHROPIC_BASE_URL" not in os.environ
    assert os.environ["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9"
