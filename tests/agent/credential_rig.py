"""Secrets in tests: a keyring that is a file, a person who types them on cards, and commands that use them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError
from pydantic import SecretStr

from desktop.domain.commands import SendMessage
from desktop.domain.credentials.commands import StoreCredential
from desktop.domain.credentials.events import CredentialStored
from desktop.domain.events import InputRequested
from desktop.domain.gate.pending import Answer, ApprovalRequest, CredentialRequest
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

ASK = tool_turn("request_credential", provider="Shop", label="Deploy token", description="To deploy.", names=["KEY"])
VALUE = 'pw"4Zt9/QmB7+xL w2é-Vn8R\nsecond=Line$5kQ~71Hz'


class FileKeyring(KeyringBackend):
    """A keyring whose entries stand in one file of the test."""

    priority = 1.0

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    @property
    def entries(self) -> dict[str, str]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.path.write_text(json.dumps({**self.entries, username: password}))

    def delete_password(self, service: str, username: str) -> None:
        left = self.entries
        if left.pop(username, None) is None:
            raise PasswordDeleteError("not found")
        self.path.write_text(json.dumps(left))


@contextmanager
def file_keyring(path: Path) -> Iterator[FileKeyring]:
    """The system's keyring is this file for a while."""
    before, ours = keyring.get_keyring(), FileKeyring(path)
    keyring.set_keyring(ours)
    try:
        yield ours
    finally:
        keyring.set_keyring(before)


async def give(rig: Rig, session_id: str, asked: InputRequested, value: str = VALUE, **more: object) -> str:
    """Type a secret on an open card, as a person does; the id of what was kept."""
    assert isinstance(asked.request, CredentialRequest)
    values = {"provider": asked.request.provider, "names": asked.request.names, **more}
    command = StoreCredential(session_id=session_id, input_id=asked.input_id, value=SecretStr(value), **values)
    await rig.engine.handle(command)
    return rig.events(CredentialStored)[-1].secret_id


async def allow(rig: Rig, session_id: str, asked: InputRequested) -> ApprovalRequest:
    """Allow an open call once, with the word that its card wants."""
    assert isinstance(asked.request, ApprovalRequest)
    await rig.answer(session_id, asked, Answer(outcome="allow_once", confirm=asked.request.confirm_word))
    return asked.request


def use(command: str, **how: object) -> dict[str, object]:
    """The arguments of a command that is given a secret."""
    return {"command": command, "secrets": [how]}


async def given(rig: Rig, model_api: FakeModelApi, **more: object) -> tuple[str, str]:
    """A chat in which a person has given a secret: the chat's id and the secret's."""
    model_api.script(ASK, text_turn("ready"))
    session_id = await rig.new("Deploy it", **more)
    secret_id = await give(rig, session_id, await rig.asked(), kept="month")
    await rig.ended()
    return session_id, secret_id


async def say(rig: Rig, session_id: str, text: str = "Go on") -> None:
    """Send one more message."""
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
