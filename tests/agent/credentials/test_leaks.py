"""Ways that a secret could take out of the command it was given to: pieces on standard error, a commit's message."""

import base64

import pytest

from desktop.domain.commands import Interrupt, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.credentials.commands import LoadCredentials, RevokeCredential
from desktop.domain.credentials.events import CredentialRevoked
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.updates import ToolProgress
from tests.agent.credential_rig import allow, give
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
KEY = "shk-9f2Qm7Zt4BxLr8Wd1Kc6"
ASK = tool_turn("request_credential", provider="Shop", names=["KEY"])


async def given(rig: Rig, model_api: FakeModelApi, **more: object) -> tuple[str, str]:
    model_api.script(ASK, text_turn("ready"))
    session_id = await rig.new("Deploy it", **more)
    secret_id = await give(rig, session_id, await rig.asked(), KEY, kept="month")
    await rig.ended()
    return session_id, secret_id


def use(secret_id: str, command: str) -> list[dict[str, object]]:
    return tool_turn("bash", command=command, secrets=[{"secret": f"secret:{secret_id}", "env": "KEY"}])


def seen(rig: Rig, model_api: FakeModelApi) -> str:
    """Everything that a window and a model were shown."""
    progress = [one.tail for one in rig.updates if isinstance(one, ToolProgress)]
    results = [one.content for one in rig.events(ToolCallFinished)]
    return f"{progress}{results}{[one.raw for one in model_api.requests]}"


@pytest.mark.promise("memory-CR6")
async def test_a_secret_that_comes_in_pieces_on_standard_error_is_seen_by_nobody(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, secret_id = await given(rig, model_api)
    pieces = 'for at in $(seq 0 3 24); do printf %s "${KEY:$at:3}" >&2; sleep 0.15; done; echo " end" >&2'
    more = 'printf %s "$KEY" | base64 >&2; printf %s "$KEY" | od -An -v -tx1 | tr -d " \\n" >&2; echo >&2'
    model_api.script(use(secret_id, f"{pieces}; {more}"), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await allow(rig, session_id, await rig.asked(2))
    await rig.ended(2)
    shown = seen(rig, model_api)
    for spelling in (KEY, base64.b64encode(KEY.encode()).decode(), KEY.encode().hex()):
        assert spelling not in shown
    assert KEY[:12] not in "".join(one.content for one in rig.events(ToolCallFinished))
    assert " end" in rig.events(ToolCallFinished)[-1].content


@pytest.mark.promise("memory-CR6")
@pytest.mark.parametrize("spelled", [KEY, base64.b64encode(KEY.encode()).decode(), KEY.encode().hex()])
async def test_a_secret_stands_in_the_message_of_no_commit_in_full_auto_too(
    rig: Rig, model_api: FakeModelApi, spelled: str
) -> None:
    session_id, secret_id = await given(rig, model_api)
    model_api.script(use(secret_id, "touch made"), text_turn("used"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await allow(rig, session_id, await rig.asked(2))
    await rig.ended(2)
    model_api.script(tool_turn("commit_changes", message=f"Deploy\n\nwith {spelled}"), text_turn("done"))
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(3)
    told = rig.events(ToolCallFinished)[-1]
    assert told.is_error
    assert "nothing was committed" in told.content
    assert spelled not in git(rig.lane(session_id), "log", "--format=%B")


@pytest.mark.promise("memory-CR7")
async def test_a_secret_removed_while_a_command_holds_it_is_cleaned_from_what_that_prints_later(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, secret_id = await given(rig, model_api)
    flag = rig.lane(session_id) / "go"
    wait = 'touch begun; while [ ! -e go ]; do sleep 0.05; done; echo "late $KEY"'
    model_api.script(use(secret_id, wait), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await allow(rig, session_id, await rig.asked(2))
    await rig.until(lambda _updates: (rig.lane(session_id) / "begun").exists() or None)
    await rig.engine.handle(RevokeCredential(secret_id=secret_id))
    await rig.engine.handle(LoadCredentials())
    assert holders(rig.updates), "it is listed with what still holds it"
    assert rig.events(CredentialRevoked)
    flag.touch()
    await rig.ended(2)
    told = rig.events(ToolCallFinished)[-1].content
    assert "late" in told
    assert KEY not in seen(rig, model_api)
    model_api.script(use(secret_id, "true"), text_turn("over"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(3)
    assert "was removed" in rig.events(ToolCallFinished)[-1].content


def holders(updates: list[object]) -> tuple[object, ...]:
    return next((one.holders for one in reversed(updates) if isinstance(one, CredentialsChanged)), ())


@pytest.mark.promise("memory-CR6")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ('printf %s "$KEY" | rev', KEY[::-1]),
        ('printf %s "$KEY" | fold -w 5', "\n".join(KEY[at : at + 5] for at in range(0, len(KEY), 5))),
        ("true", ""),
    ],
    ids=["reversed", "split over lines", "not at all"],
)
async def test_what_a_command_makes_of_a_secret_may_be_seen_and_the_card_and_the_mark_of_the_chat_say_so(
    command: str, printed: str, rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, secret_id = await given(rig, model_api, mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    model_api.script(
        use(secret_id, command), tool_turn("bash", command="curl https://example.org", network=True), text_turn("done")
    )
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    asked = await rig.asked(2)
    assert not rig.events(SessionTainted), "nothing was read while it waits"
    card = await allow(rig, session_id, asked)
    assert card.reason.endswith("The command can pass the key on.")
    after = await rig.asked(3)
    result = rig.events(ToolCallFinished)[-1]
    assert (result.outcome, printed in str(result.content)) == ("ok", True)
    assert KEY not in seen(rig, model_api)
    assert [(mark.reason, mark.source) for mark in rig.events(SessionTainted)] == [("secret", "the secret Shop")]
    log = [entry.kind for entry in rig.engine._store.events.read(session_id)]
    assert log.index("session_tainted") < log.index("tool_call_finished", log.index("session_tainted"))
    assert isinstance(after.request, ApprovalRequest), "what could take it out of here asks"
    assert after.request.tainted == ("the secret Shop",)
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended(2)
