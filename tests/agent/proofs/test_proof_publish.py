"""Proofs in the text of a pull request: what a person saw is posted once, and what others wrote stays."""

import hashlib
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from desktop.domain.proofs.block import BEGIN
from desktop.domain.proofs.commands import AddProof, PlanPublish, PublishProofs
from desktop.domain.proofs.updates import ProofAdded, ProofsChanged, ProofsPublished, PublishPlanned
from desktop.domain.pulls.commands import CreatePullRequest
from desktop.domain.pulls.updates import PullRequestCreated
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below, git
from tests.fakes.github.control import PullControl
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)

STATUS = ("status", "--porcelain=v2", "--branch")
REFS = ("for-each-ref", "refs/heads", "refs/remotes", "refs/tags")
HEADS = ("rev-parse", "HEAD", "--abbrev-ref", "HEAD")


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    rig = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path)
    yield rig
    await rig.rig.engine.stop()


def picture() -> bytes:
    out = io.BytesIO()
    image = Image.new("RGB", (60, 40), (255, 255, 255))
    image.putpixel((3, 3), (0, 0, 0))
    image.save(out, "PNG")
    return out.getvalue()


def photo() -> bytes:
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x0110] = "Secret camera"
    Image.radial_gradient("L").save(out, "JPEG", exif=exif)
    return out.getvalue()


@pytest.mark.promise("lanes-F18")
async def test_publishing_twice_keeps_one_block_and_every_word_of_others(pulls: PullRig) -> None:
    pulls.publish()
    pull: PullControl = pulls.repo.open_pull(pulls.lane.branch, title="Fix", body="Words of a person.")
    await pulls.look()
    added = await pulls.answer(AddProof(lane_id=pulls.lane.id, data=picture(), name="a.png", title="Login"), ProofAdded)
    ids = (added.proof_id,)
    plan = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids), PublishPlanned)
    assert plan.request == f"octo/shop#{pull.number}"
    assert plan.private is True, "who can read it is told"
    assert "| Login | Screenshot |" in plan.text
    assert not plan.replaces
    publish = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=plan.digest)
    await pulls.answer(publish, ProofsPublished)
    assert pull.value.body == f"Words of a person.\n\n{plan.text}"
    pull.change(body=f"Edited on GitHub.\n\n{plan.text}\n\nAnd below.")
    again = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids), PublishPlanned)
    assert again.replaces
    await pulls.answer(PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=again.digest), ProofsPublished)
    assert pull.value.body.count(BEGIN) == 1
    assert pull.value.body.startswith("Edited on GitHub.")
    assert pull.value.body.endswith("And below.")
    listed = next(update for update in reversed(pulls.rig.updates) if isinstance(update, ProofsChanged))
    assert listed.project_bytes == len(picture())
    links = [link for link in listed.proofs[0].links if link.relation == "published_to"]
    assert [(link.owner_id, bool(link.address)) for link in links] == [(plan.request, True)]
    # what was shown no longer holds
    (pulls.folder / "app.py").write_text("changed")
    stale = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=again.digest)
    assert "changed since you looked" in await pulls.refused(stale)
    gone = PlanPublish(lane_id=pulls.lane.id, proof_ids=("pf_none",))
    assert "does not exist in this lane" in await pulls.refused(gone)


@pytest.mark.promise("lanes-F18")
async def test_a_proof_that_was_taken_out_of_the_request_is_published_no_more(pulls: PullRig) -> None:
    pulls.publish()
    pull: PullControl = pulls.repo.open_pull(pulls.lane.branch, title="Fix", body="Words of a person.")
    await pulls.look()
    added = [
        await pulls.answer(AddProof(lane_id=pulls.lane.id, data=data, name="a", title=title), ProofAdded)
        for data, title in ((picture(), "Login"), (photo(), "Logout"))
    ]
    login, logout = (one.proof_id for one in added)

    def published() -> set[str]:
        listed = next(update for update in reversed(pulls.rig.updates) if isinstance(update, ProofsChanged))
        return {one.proof.id for one in listed.proofs if any(link.relation == "published_to" for link in one.links)}

    async def post(*ids: str) -> None:
        plan = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids), PublishPlanned)
        order = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=plan.digest)
        await pulls.answer(order, ProofsPublished)

    await post(login, logout)
    assert published() == {login, logout}
    await post(logout)
    assert published() == {logout}, "a block without it took its place"
    pull.change(body="Rewritten on GitHub.")
    await pulls.look()
    await pulls.rig.until(lambda _: published() == set())
    await post(login)
    assert published() == {login}


@pytest.mark.promise("lanes-F17")
async def test_pictures_are_pushed_before_the_text_shows_them_and_only_when_wanted(pulls: PullRig) -> None:
    pulls.publish()
    pull: PullControl = pulls.repo.open_pull(pulls.lane.branch, title="Fix", body="Words of a person.")
    await pulls.look()
    add = AddProof(lane_id=pulls.lane.id, data=photo(), name="a.jpg", title="Login")
    ids = ((await pulls.answer(add, ProofAdded)).proof_id,)
    plain = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids), PublishPlanned)
    assert (plain.with_pictures, plain.pictures, plain.no_pictures) == (False, (), "")
    checkout = pulls.folder.parent.parent / "shop"
    before = [git(folder, *words) for folder in (checkout, pulls.folder) for words in (STATUS, REFS, HEADS)]
    plan = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids, pictures=True), PublishPlanned)
    [shown] = plan.pictures
    assert plan.with_pictures
    assert shown.path == f"pr-{pull.number}/{hashlib.sha256(photo()).hexdigest()[:12]}.jpg"
    assert f"![Login](https://{pulls.github.host}/octo/shop/raw/banksman-proofs/{shown.path})" in plan.text
    # a word for the one is none for the other
    other = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=plan.digest)
    assert "changed since you looked" in await pulls.refused(other)
    # what cannot be pushed is not shown
    publish = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=plan.digest, pictures=True)
    hook = pulls.repo.value.git.folder / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert "The pictures were not pushed, so the text of the request was left as it is." in await pulls.refused(publish)
    assert pull.value.body == "Words of a person."
    hook.unlink()
    await pulls.answer(publish.model_copy(update={"command_id": "cmd_again"}), ProofsPublished)
    assert pull.value.body == f"Words of a person.\n\n{plan.text}"
    at = pulls.repo.head("banksman-proofs")
    stored = pulls.repo.value.git.run("cat-file", "blob", f"banksman-proofs:{shown.path}")
    assert "Secret" not in str(stored)
    again = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids), PublishPlanned)
    assert again.with_pictures, "the choice is kept for the repository"
    twice = PublishProofs(lane_id=pulls.lane.id, proof_ids=ids, digest=again.digest, pictures=True)
    await pulls.answer(twice, ProofsPublished)
    assert pulls.repo.head("banksman-proofs") == at
    assert pull.value.body.count(BEGIN) == pull.value.body.count("![Login]") == 1
    after = [git(folder, *words) for folder in (checkout, pulls.folder) for words in (STATUS, REFS, HEADS)]
    assert after == before, "nothing of it is in the person's repository"
    git(checkout, "remote", "set-url", "--push", "origin", "https://example.org/other/shop.git")
    elsewhere = await pulls.answer(PlanPublish(lane_id=pulls.lane.id, proof_ids=ids, pictures=True), PublishPlanned)
    assert not elsewhere.with_pictures
    assert "No remote of this repository leads to octo/shop" in elsewhere.no_pictures


async def test_proofs_that_a_request_is_opened_with_are_published_to_it(pulls: PullRig) -> None:
    add = AddProof(lane_id=pulls.lane.id, data=picture(), name="a.png", title="Login")
    ids = ((await pulls.answer(add, ProofAdded)).proof_id,)
    create = CreatePullRequest(lane_id=pulls.lane.id, title="Fix", body="Words.", proofs=ids)
    made = await pulls.answer(create, PullRequestCreated)
    assert "| Login |" in pulls.repo.pull(made.number).value.body
    links = pulls.rig.engine._store.proofs.links(ids[0])
    published = [(link.owner, link.owner_id, link.address) for link in links if link.relation == "published_to"]
    assert published == [("pull_request", f"octo/shop#{made.number}", made.url)]
    # one that is there already keeps its text, and that is said
    other = AddProof(lane_id=pulls.lane.id, data=photo(), name="b.jpg", title="Later")
    later = ((await pulls.answer(other, ProofAdded)).proof_id,)
    again = CreatePullRequest(lane_id=pulls.lane.id, title="Fix", body="Words.", proofs=later)
    adopted = await pulls.answer(again, PullRequestCreated)
    assert adopted.adopted
    assert any("does not name the proofs" in notice for notice in adopted.notices)
    links = pulls.rig.engine._store.proofs.links(later[0])
    assert not [link for link in links if link.relation == "published_to"]


async def test_without_a_request_nothing_is_planned(pulls: PullRig) -> None:
    assert "no pull request" in await pulls.refused(PlanPublish(lane_id=pulls.lane.id, proof_ids=("pf_1",)))
