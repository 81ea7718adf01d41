"""Whether what a report names is there: files of the lane, proofs in the store, requests on a server, evidence."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.agent.reports.lookup import Lookup
from desktop.agent.reports.proofs import ProofClaims
from desktop.domain.proofs.values import Proof
from desktop.domain.reports.events import CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Artifact, Claim
from desktop.domain.reports.verdicts import Facts
from desktop.services.files.lane_files import LaneFiles
from desktop.store.database import open_store
from tests.agent.rig import make_repository

pytestmark = pytest.mark.asyncio

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TREE = "a" * 40


class OneRequest:
    """A server that knows request 42 and cannot be asked about others than 42 and 43."""

    async def exists(self, lane_id: str, pr: str) -> bool | None:
        return {"42": True, "#42": True, "#43": False}.get(pr)


def proof(name: str, **more: object) -> Proof:
    values = {
        "id": name, "project_id": "p", "kind": "screenshot", "title": "Login", "mime_type": "image/png", "size": 1,
        "sha256": "b" * 64, "captured_at": AT, "ingested_at": AT, "backend": "test", "lane_id": "ln_1", "tree_id": TREE,
    }  # fmt: skip
    return Proof.model_validate({**values, **more})


@pytest.mark.promise("lanes-E9")
async def test_each_kind_is_looked_up_where_it_is_kept(tmp_path: Path) -> None:
    lane = make_repository(tmp_path / "lane", {"src/login.py": "x"})
    store = open_store(tmp_path / "store", clock=lambda: AT)
    proofs = store.proofs
    for one in (
        proof("pf_1"), proof("pf_2", review="dismissed"), proof("pf_3", tree_id="c" * 40), proof("pf_4", tree_id=""),
        proof("pf_5", lane_id="ln_2"),
    ):  # fmt: skip
        proofs.add(one, ())
    lookup = Lookup(ProofClaims(proofs), OneRequest())
    names = (
        "src/login.py", "gone.py", "/etc/passwd", "ev_1", "ev_9", "pf_1", "pf_2", "pf_4", "#42", "#43", "#44",
        "https://example.org/a/b/pull/7", "https://example.org/page",
    )  # fmt: skip
    report = CompletionReported(
        call_id="r", summary="Done.", status="completed",
        claims=(
            *(Claim(text="p", kind="proof", proof_id=f"pf_{number}") for number in range(1, 7)),
            Claim(text="q", kind="pr", pr="42"), Claim(text="f", kind="file", path="src"),
        ),
        artifacts=tuple(Artifact(reference=name) for name in names),
    )  # fmt: skip
    known = Facts(tree=TREE, record=[EvidenceRecorded(evidence_id="ev_1", started_at=AT)])
    found = await lookup.complete(known, "ln_1", LaneFiles(lane, name="x"), [report])
    assert dict(found.proofs) == {
        "pf_1": "found", "pf_2": "dismissed", "pf_3": "other_tree", "pf_5": "missing", "pf_6": "missing",
    }  # fmt: skip
    assert found.prs["42"] is True
    assert found.files["src"] is True
    assert [found.artifacts[name] for name in names] == [
        "found", "missing", "missing", "found", "missing", "found", "missing", "not_looked_up", "found", "missing",
        "not_looked_up", "not_looked_up", "not_looked_up",
    ]  # fmt: skip
    nowhere = await Lookup().complete(known, "ln_1", None, [report])
    assert (dict(nowhere.proofs), dict(nowhere.prs), dict(nowhere.files)) == ({}, {}, {})
    store.close()
