"""A skill says which secrets it wants; a person binds each once, and every use of one still asks."""

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.credentials.commands import ChooseCredential, EditCredential, RevokeCredential
from desktop.domain.credentials.events import CredentialEdited, CredentialStored, CredentialUsed
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import ApprovalRequest, CredentialRequest
from desktop.domain.skills.commands import LoadSkills, TrustSkills, UninstallSkill
from desktop.domain.skills.updates import SkillsLoaded
from tests.agent.credential_rig import VALUE, FileKeyring, allow, give
from tests.agent.rig import Rig
from tests.agent.skills.skill_places import own_skill, shared_skill
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
MOUNTS = "secret_mounts: {token: 'env:KEY', cert: {file: CERT_FILE}}\n"
USE = tool_turn("use_skill", skill_id="deploy")
RUN = tool_turn("bash", command="""printf %s "${#KEY}"; cat "$CERT_FILE" | wc -c""", secrets=[{"skill": "deploy"}])


def asks(name: str, skill: str = "deploy") -> list[dict[str, object]]:
    return tool_turn("request_credential", provider="Shop", skill=skill, secret=name)


def finished(rig: Rig) -> list[str]:
    return [one.content for one in rig.events(ToolCallFinished)]


@pytest.mark.promise("memory-CR9")
async def test_a_skills_secrets_are_bound_once_and_each_use_asks(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_skill(folders, "deploy", more=MOUNTS)
    model_api.script(RUN, USE, RUN, asks("token"), asks("cert"), RUN, text_turn("done"))
    session_id = await rig.new("Deploy it")
    first = await rig.asked(1)
    assert isinstance(first.request, CredentialRequest)
    assert (first.request.skill, first.request.secret, first.request.names) == ("deploy", "token", ("KEY",))
    assert first.request.kept == (), "there is none to choose"
    secret_id = await give(rig, session_id, first, kept="month")
    second = await rig.asked(2)
    assert isinstance(second.request, CredentialRequest)
    assert second.request.names == ("CERT_FILE",)
    assert [one.secret_id for one in second.request.kept] == [secret_id]
    choose = ChooseCredential(session_id=session_id, input_id=second.input_id, secret_id=secret_id)
    await rig.engine.handle(choose)
    card = await allow(rig, session_id, await rig.asked(3))
    assert isinstance(card, ApprovalRequest)
    assert card.rule == "credential_use"
    await rig.ended()

    told = finished(rig)
    assert "Load the skill deploy with use_skill first" in told[0]
    assert "wants these secrets: token, cert" in told[1]
    assert "'token', which nobody has bound" in told[2]
    assert "is the secret 'cert' of the skill deploy" in told[4]
    assert f"{len(VALUE)}{len(VALUE.encode())}" in told[5].replace("\n", "")
    assert [(one.way, one.name) for one in rig.events(CredentialUsed)] == [("env", "KEY"), ("file", "CERT_FILE")]
    assert [(one.secret, one.skill) for one in rig.events(CredentialEdited)] == [
        ("token", "deploy"), ("cert", "deploy"),
    ]  # fmt: skip
    assert len(rig.events(CredentialStored)) == 1

    model_api.script(USE, RUN, text_turn("again"))
    again = await rig.new("Once more")
    card = await allow(rig, again, await rig.asked(4))
    assert isinstance(card, ApprovalRequest), "bound once for all chats, and every use is a card"
    await rig.ended(2)
    assert f"{len(VALUE)}{len(VALUE.encode())}" in finished(rig)[-1].replace("\n", "")

    await rig.engine.handle(RevokeCredential(secret_id=secret_id))
    model_api.script(USE, RUN, text_turn("over"))
    await rig.new("And again")
    await rig.ended(3)
    assert "which nobody has bound" in finished(rig)[-1]


@pytest.mark.promise("memory-CR9")
async def test_another_skill_of_the_name_is_not_given_what_a_person_bound(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    own_skill(folders, "deploy", more="secret_mounts: {KEY: env}\n")
    model_api.script(USE, asks("KEY"), text_turn("bound"))
    session_id = await rig.new("Bind it")
    await give(rig, session_id, await rig.asked(), kept="month")
    await rig.ended()

    await rig.engine.handle(UninstallSkill(skill_id="deploy"))
    shared_skill(repository, "deploy", more="secret_mounts: {KEY: env}\n")
    await rig.engine.handle(LoadSkills())
    (waiting,) = [one for one in rig.updates if isinstance(one, SkillsLoaded)][-1].waiting
    await rig.engine.handle(TrustSkills(sha256=waiting.sha256))
    model_api.script(USE, RUN, text_turn("none"))
    await rig.new("Use it")
    await rig.ended(2)
    assert "wants these secrets: KEY" in finished(rig)[-2]
    assert "which nobody has bound" in finished(rig)[-1]


@pytest.mark.promise("memory-CR9")
async def test_what_a_skill_does_not_want_cannot_be_bound_to_it(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_skill(folders, "deploy", more="secret_mounts: {KEY: env}\n")
    own_skill(folders, "plain")
    both = tool_turn("bash", command="true", secrets=[{"skill": "deploy", "secret": "secret:sec_0123456789ab"}])
    plain = tool_turn("bash", command="true", secrets=[{"skill": "plain"}])
    load = tool_turn("use_skill", skill_id="plain")
    model_api.script(USE, asks("OTHER"), asks("KEY", "plain"), load, asks("KEY", "plain"), plain, both, text_turn("x"))
    await rig.new("Try")
    await rig.ended()
    told = finished(rig)
    assert "wants no secret 'OTHER'. It wants: KEY." in told[1]
    assert "Load the skill plain with use_skill first" in told[2]
    assert "wants no secret 'KEY'. It wants: no secret." in told[4]
    assert "The skill plain wants no secret." in told[5]
    assert "says itself which secrets it wants" in told[6]


@pytest.mark.promise("memory-CR9")
async def test_a_person_changes_where_a_kept_secret_may_go_and_its_value_stays(
    rig: Rig, model_api: FakeModelApi, ring: FileKeyring
) -> None:
    ask = tool_turn("request_credential", provider="Shop", names=["KEY"], hosts=["api.shop.example"])
    model_api.script(ask, text_turn("kept"))
    session_id = await rig.new("Keep it")
    secret_id = await give(rig, session_id, await rig.asked(), kept="month", hosts=("api.shop.example",))
    await rig.ended()
    before = dict(ring.entries)

    edit = EditCredential(secret_id=secret_id, provider="Shop", names=("OTHER",), hosts=(".shop.example",))
    await rig.engine.handle(edit)
    (record,) = [one for one in rig.updates if isinstance(one, CredentialsChanged)][-1].credentials
    assert (record.names, record.hosts) == (("OTHER",), (".shop.example",))
    assert rig.events(CredentialEdited)[-1].hosts == (".shop.example",)
    assert ring.entries == before
    for wrong, why in (
        ({"hosts": ("10.0.0.1",)}, "by name, not by address"),
        ({"names": ("LD_PRELOAD",)}, "never given as LD_PRELOAD"),
        ({"provider": " "}, "what the secret is for"),
        ({"secret_id": "sec_000000000000"}, "no such secret"),
    ):
        await rig.engine.handle(replace(edit, **wrong))
        assert why in rig.failures()[-1].text
