import logging
import os
import stat
import threading
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError
from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import ANTHROPIC_ENDPOINT, Endpoint
from desktop.domain.core.errors import SettingsError
from desktop.domain.updates import KeyState
from desktop.services.settings.key_record import KeyRecord
from desktop.services.settings.keyring_entries import NO_KEYRING, KeyringEntries
from desktop.services.settings.keys import GITHUB_ADDRESS, KeyStore

pytestmark = pytest.mark.asyncio

LOCAL = Endpoint(id="local", label="Local", kind="compatible", base_url="http://127.0.0.1:1234")
KEY = SecretStr("sk-local-0123456789abcd")


class DictKeyring(KeyringBackend):
    """A keyring like a system's, in a dict; `locked` refuses as one that a person did not unlock."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False
        self.threads: set[int] = set()
        self.reads = 0

    def get_password(self, service: str, username: str) -> str | None:
        self._ask()
        self.reads += 1
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._ask()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._ask()
        if self.entries.pop((service, username), None) is None:
            raise PasswordDeleteError("not found")

    def _ask(self) -> None:
        self.threads.add(threading.get_ident())
        if self.locked:
            raise KeyringLocked("the collection is locked")


async def test_a_saved_key_is_found_again_by_another_store() -> None:
    keyring = DictKeyring()
    await KeyStore(backend=keyring, environment={}).save(LOCAL, KEY)
    again = KeyStore(backend=keyring, environment={})
    assert await again.get(LOCAL) == KEY
    assert await again.state(LOCAL) == KeyState(endpoint_id="local", place="keyring", tail="abcd")
    assert list(keyring.entries) == [("banksman", "local")]
    assert again.problem == ""


async def test_a_removed_key_is_gone() -> None:
    keyring = DictKeyring()
    keys = KeyStore(backend=keyring, environment={})
    await keys.save(LOCAL, KEY)
    await keys.remove(LOCAL)
    await keys.remove(LOCAL)
    assert await keys.get(LOCAL) is None
    assert keyring.entries == {}


async def test_the_keyring_is_asked_once_and_in_another_thread() -> None:
    keyring = DictKeyring()
    keys = KeyStore(backend=keyring, environment={})
    for _ in range(3):
        await keys.get(LOCAL)
    assert keyring.reads == 1
    assert threading.get_ident() not in keyring.threads


async def test_a_key_is_not_found_at_another_address() -> None:
    keys = KeyStore(backend=DictKeyring(), environment={})
    await keys.save(LOCAL, KEY)
    moved = LOCAL.model_copy(update={"base_url": "https://elsewhere.example"})
    assert await keys.get(moved) is None
    assert (await keys.state(moved)).place == "none"
    assert await keys.get(LOCAL) == KEY


async def test_without_a_keyring_the_key_lasts_until_the_end() -> None:
    keys = KeyStore(backend=NoKeyring(), environment={})
    await keys.save(LOCAL, KEY)
    assert await keys.get(LOCAL) == KEY
    assert (await keys.state(LOCAL)).place == "memory"
    assert keys.problem == NO_KEYRING == "This system has no keyring. The key is kept until Banksman closes."
    await keys.remove(LOCAL)
    assert await keys.get(LOCAL) is None


async def test_a_locked_keyring_is_told_and_the_key_kept_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    keyring = DictKeyring()
    keyring.locked = True
    keys = KeyStore(backend=keyring, environment={})
    with caplog.at_level(logging.DEBUG):
        await keys.save(LOCAL, KEY)
    assert await keys.get(LOCAL) == KEY
    assert keys.problem.startswith("The system keyring refused: the collection is locked. The key is kept")
    assert KEY.get_secret_value() not in caplog.text


async def test_a_keyring_unlocked_later_is_used_then() -> None:
    keyring = DictKeyring()
    await KeyStore(backend=keyring, environment={}).save(LOCAL, KEY)
    keyring.locked = True
    keys = KeyStore(backend=keyring, environment={})
    assert await keys.get(LOCAL) is None
    keyring.locked = False
    assert await keys.get(LOCAL) == KEY
    assert keys.problem == ""


async def test_the_variable_is_a_key_of_the_vendors_address_only() -> None:
    environment = {"ANTHROPIC_API_KEY": "sk-from-environment-wxyz"}
    keys = KeyStore(backend=DictKeyring(), environment=environment)
    assert environment == {}
    found = await keys.get(ANTHROPIC_ENDPOINT)
    assert found is not None
    assert found.get_secret_value() == "sk-from-environment-wxyz"
    assert await keys.state(ANTHROPIC_ENDPOINT) == KeyState(
        endpoint_id="anthropic", place="environment", tail="wxyz", variable="ANTHROPIC_API_KEY"
    )
    assert await keys.get(LOCAL) is None
    moved = ANTHROPIC_ENDPOINT.model_copy(update={"base_url": "https://proxy.example"})
    assert await keys.get(moved) is None


async def test_the_keyring_goes_before_the_variable() -> None:
    keyring = DictKeyring()
    await KeyStore(backend=keyring, environment={}).save(ANTHROPIC_ENDPOINT, KEY)
    keys = KeyStore(backend=keyring, environment={"ANTHROPIC_API_KEY": "sk-from-environment-wxyz"})
    assert await keys.get(ANTHROPIC_ENDPOINT) == KEY
    await keys.remove(ANTHROPIC_ENDPOINT)
    assert (await keys.state(ANTHROPIC_ENDPOINT)).place == "environment"
    await keys.remove(ANTHROPIC_ENDPOINT)
    assert (await keys.state(ANTHROPIC_ENDPOINT)).place == "none"


async def test_the_variable_leaves_the_process_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-from-environment-wxyz")
    keys = KeyStore(backend=NoKeyring())
    assert "ANTHROPIC_API_KEY" not in os.environ
    assert await keys.get(ANTHROPIC_ENDPOINT) is not None


@pytest.mark.parametrize("key", ["", "   ", "two words", "line\nbreak", "schlüssel"])
async def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    keys = KeyStore(backend=DictKeyring(), environment={})
    with pytest.raises(SettingsError, match="Paste"):
        await keys.save(LOCAL, SecretStr(key))


async def test_blanks_around_a_pasted_key_are_removed() -> None:
    keys = KeyStore(backend=DictKeyring(), environment={})
    await keys.save(LOCAL, SecretStr("  sk-local-0123456789abcd\n"))
    assert await keys.get(LOCAL) == KEY


async def test_of_a_short_key_nothing_is_shown() -> None:
    keys = KeyStore(backend=DictKeyring(), environment={})
    await keys.save(LOCAL, SecretStr("short"))
    assert (await keys.state(LOCAL)).tail == ""


async def test_an_entry_that_is_not_ours_is_no_key() -> None:
    keyring = DictKeyring()
    keyring.entries["banksman", "local"] = "not json"
    assert await KeyStore(backend=keyring, environment={}).get(LOCAL) is None


SHOP = DatabaseConnection(name="shop", dialect="postgres", host="db.example.org", database="shop", user="reader")


async def test_a_database_password_is_kept_under_its_name_and_bound_to_its_target() -> None:
    keyring = DictKeyring()
    await KeyStore(backend=keyring, environment={}).save_database_password(SHOP, SecretStr("pass word ü"))
    again = KeyStore(backend=keyring, environment={})
    assert await again.database_password(SHOP) == SecretStr("pass word ü")
    assert list(keyring.entries) == [("banksman", "database:shop")]
    assert await again.database_password(SHOP.model_copy(update={"host": "other.example.org"})) is None
    await again.remove_database_password(SHOP)
    assert await again.database_password(SHOP) is None
    assert keyring.entries == {}


async def test_a_database_password_reaches_no_host_that_only_reads_the_same() -> None:
    store = KeyStore(backend=DictKeyring(), environment={})
    meant = SHOP.model_copy(update={"user": "u", "host": "good", "database": "d@evil:5432/e"})
    other = SHOP.model_copy(update={"user": "u@good:5432/d", "host": "evil", "database": "e"})
    assert meant.target == other.target
    await store.save_database_password(meant, SecretStr("word"))
    assert await store.database_password(meant) == SecretStr("word")
    assert await store.database_password(other) is None


async def test_a_database_password_lasts_until_the_end_without_a_keyring() -> None:
    store = KeyStore(backend=NoKeyring(), environment={})
    await store.save_database_password(SHOP, SecretStr("word"))
    assert await store.database_password(SHOP) == SecretStr("word")
    assert store.problem == NO_KEYRING
    await store.remove_database_password(SHOP)
    assert await store.database_password(SHOP) is None


@pytest.mark.parametrize("word", ["", "two\nlines"])
async def test_a_database_password_that_cannot_be_one_is_refused(word: str) -> None:
    with pytest.raises(SettingsError, match="password for shop"):
        await KeyStore(backend=DictKeyring(), environment={}).save_database_password(SHOP, SecretStr(word))


async def test_a_token_of_github_belongs_to_host_account_and_address() -> None:
    keyring = DictKeyring()
    keys = KeyStore(backend=keyring, environment={})
    await keys.save_github_token("github.com", "octo", GITHUB_ADDRESS, SecretStr("ghp_1"))
    assert await keys.github_token("github.com", "octo", GITHUB_ADDRESS) == (SecretStr("ghp_1"), "keyring")
    assert list(keyring.entries) == [("banksman", "github:github.com:octo")]
    for host, login, address in (
        ("github.com", "mona", GITHUB_ADDRESS), ("ghe.example", "octo", GITHUB_ADDRESS),
        ("github.com", "octo", "https://elsewhere.example"),
    ):  # fmt: skip
        assert await keys.github_token(host, login, address) == (None, "none")
    assert keys.known_values() == {"github:github.com:octo": "ghp_1"}
    await keys.remove_github_token("github.com", "octo")
    assert keyring.entries == {}


async def test_a_token_of_the_environment_is_taken_out_of_it_and_used_for_github_com_alone() -> None:
    environment = {"GITHUB_TOKEN": "ghp_2", "GH_TOKEN": " ghp_1 ", "PATH": "/bin"}
    keys = KeyStore(backend=NoKeyring(), environment=environment)
    assert environment == {"PATH": "/bin"}
    assert await keys.github_token("github.com", "", GITHUB_ADDRESS) == (SecretStr("ghp_1"), "environment")
    assert await keys.github_token("ghe.example", "", "https://ghe.example/api/v3") == (None, "none")
    assert "ghp_1" in keys.known_values().values()
    await keys.save_github_token("github.com", "octo", GITHUB_ADDRESS, SecretStr("ghp_3"))
    assert await keys.github_token("github.com", "octo", GITHUB_ADDRESS) == (SecretStr("ghp_3"), "memory")
    assert keys.problem == NO_KEYRING
    await keys.remove_github_token("ghe.example", "")
    assert (await keys.github_token("github.com", "", GITHUB_ADDRESS))[1] == "environment"
    await keys.remove_github_token("github.com", "")
    assert await keys.github_token("github.com", "", GITHUB_ADDRESS) == (None, "none")


async def test_a_keyring_that_never_got_a_key_is_not_asked_for_one(tmp_path: Path) -> None:
    keyring, path = DictKeyring(), tmp_path / "config" / "keyring.json"
    keys = KeyStore(backend=keyring, environment={}, record=KeyRecord(path, fresh=True))
    assert await keys.get(LOCAL) is None
    await keys.remove(LOCAL)
    assert await keys.database_password(SHOP) is None
    assert keyring.threads == set()
    await keys.save(LOCAL, KEY)
    again = KeyStore(backend=keyring, environment={}, record=KeyRecord(path))
    assert await again.get(LOCAL) == KEY
    assert await again.database_password(SHOP) is None
    assert keyring.reads == 1
    assert KEY.get_secret_value() not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await again.remove(LOCAL)
    reads = keyring.reads
    assert await KeyStore(backend=keyring, environment={}, record=KeyRecord(path)).get(LOCAL) is None
    assert keyring.reads == reads


async def test_without_a_record_of_an_earlier_version_the_keyring_is_asked_once_for_each_name(tmp_path: Path) -> None:
    keyring, path = DictKeyring(), tmp_path / "keyring.json"
    await KeyStore(backend=keyring, environment={}).save(LOCAL, KEY)
    for _ in range(2):
        keys = KeyStore(backend=keyring, environment={}, record=KeyRecord(path))
        assert await keys.get(LOCAL) == KEY
        assert await keys.database_password(SHOP) is None
    assert keyring.reads == 3, "twice for the key, once for the password that is not there"


async def test_a_record_that_cannot_be_read_or_written_loses_no_key(tmp_path: Path) -> None:
    keyring, broken = DictKeyring(), tmp_path / "keyring.json"
    broken.write_text("{")
    await KeyStore(backend=keyring, environment={}, record=KeyRecord(broken)).save(LOCAL, KEY)
    (tmp_path / "file").write_text("")
    for path in (broken, tmp_path / "file" / "keyring.json"):
        assert await KeyStore(backend=keyring, environment={}, record=KeyRecord(path)).get(LOCAL) == KEY


async def test_a_keyring_that_does_not_answer_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.services.settings.keyring_entries.KEYRING_TIMEOUT_S", 0.05)
    answer = threading.Event()

    class Waiting(DictKeyring):
        def get_password(self, service: str, username: str) -> str | None:
            self.reads += 1
            answer.wait()
            return None

    keyring = Waiting()
    keys = KeyStore(backend=keyring, environment={})
    assert await keys.get(LOCAL) is None
    assert "did not answer" in keys.problem
    assert await keys.get(ANTHROPIC_ENDPOINT) is None
    assert keyring.reads == 1
    answer.set()


async def test_a_forgotten_value_is_still_known_only_where_that_was_asked_for() -> None:
    entries = KeyringEntries(DictKeyring())
    for name in ("one", "other"):
        await entries.keep(name, "", f"{name}-value-1234")
    assert await entries.forget("one", still_known=True)
    assert await entries.forget("other")
    assert not await entries.forget("other")
    assert entries.known_values() == {"one": "one-value-1234"}
    assert await entries.entry("one") is None


async def test_a_value_that_shall_not_last_is_never_in_the_keyring() -> None:
    ring = DictKeyring()
    entries = KeyringEntries(ring)
    await entries.keep("one", "", "one-value-1234", lasting=False)
    assert (ring.entries, entries.place("one")) == ({}, "memory")
    assert await entries.look() == ""
    assert await KeyringEntries(NoKeyring()).look() == NO_KEYRING
