"""How a secret leaves the keyring: by its time, while the program runs or not, or taken back by a person."""

from datetime import datetime, timedelta
from pathlib import Path

import keyring
import pytest
from keyring.errors import KeyringError

from desktop.config.folders import Folders
from desktop.domain.core.clock import utc_now
from desktop.domain.credentials.commands import RevokeCredential
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.events import ToolCallFinished
from desktop.services.credentials.book import FILE_NAME
from tests.agent.credential_rig import FileKeyring, given, say, use
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


class Clock:
    """The time, which a test moves."""

    def __init__(self) -> None:
        self.later = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.later


@pytest.mark.promise("memory-CR7")
async def test_an_expired_secret_is_told_at_its_use_and_leaves_the_keyring_by_itself(
    folders: Folders, repository: Path, rig_type: type[Rig], model_api: FakeModelApi, ring: FileKeyring
) -> None:
    clock = Clock()
    rig = await rig_type(folders, clock=clock).open(repository)
    session_id, secret_id = await given(rig, model_api)
    clock.later = timedelta(days=31)
    model_api.script(tool_turn("bash", **use("echo hi", secret=f"secret:{secret_id}", env="KEY")), text_turn("done"))
    await say(rig, session_id)
    await rig.ended(2)
    assert f"secret:{secret_id} has expired." in str(rig.events(ToolCallFinished)[-1].content)
    await rig.until(lambda _updates: ring.entries == {})
    await rig.engine.stop()


@pytest.mark.promise("memory-CR7")
async def test_what_expired_while_the_program_was_closed_leaves_the_keyring_at_its_start(
    folders: Folders, repository: Path, rig_type: type[Rig], model_api: FakeModelApi, ring: FileKeyring
) -> None:
    rig = await rig_type(folders).open(repository)
    await given(rig, model_api)
    await rig.engine.stop()
    assert len(ring.entries) == 1
    clock = Clock()
    clock.later = timedelta(days=31)
    later = await rig_type(folders, clock=clock).open(repository)
    await later.until(lambda _updates: ring.entries == {})
    await later.engine.stop()


class Stubborn(FileKeyring):
    """A keyring that gives nothing up. `book`: what stood in this file at each value that it took."""

    def __init__(self, path: Path, book: Path) -> None:
        super().__init__(path)
        self.book, self.seen = book, list[str]()

    def set_password(self, service: str, username: str, password: str) -> None:
        self.seen.append(self.book.read_text())
        super().set_password(service, username, password)

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringError("it is locked")


@pytest.mark.promise("memory-CR7")
async def test_a_secret_is_in_the_book_before_it_is_in_the_keyring_and_one_that_stays_there_is_told(
    folders: Folders, repository: Path, rig_type: type[Rig], model_api: FakeModelApi, ring: FileKeyring
) -> None:
    stubborn = Stubborn(ring.path, folders.data / FILE_NAME)
    keyring.set_keyring(stubborn)
    rig = await rig_type(folders).open(repository)
    _, secret_id = await given(rig, model_api)
    assert [secret_id in text for text in stubborn.seen] == [True]
    await rig.engine.handle(RevokeCredential(secret_id=secret_id))
    assert rig.failures()[-1].text == (
        f"Deploy token (Shop) cannot be used any more. The system keyring did not give it up: remove banksman, "
        f"{secret_id} there."
    )
    assert [update for update in rig.updates if isinstance(update, CredentialsChanged)][-1].credentials == ()
    await rig.engine.stop()
