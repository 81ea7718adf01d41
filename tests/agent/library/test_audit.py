"""The audit through the real engine: what was shown is kept, checked, anchored and written to a file."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from desktop.agent.library.audit import verdict_text
from desktop.config.folders import Folders
from desktop.domain.commands import CheckEdit, ExportAudit, LoadBlob, VerifyAudit
from desktop.domain.core.clock import utc_now
from desktop.domain.display.shown_text import shown_text
from desktop.domain.events import InputResolved, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import AuditExported, AuditVerified, BlobLoaded, EditChecked
from desktop.store.core.verify_audit import Finding, Report, verify
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
ALLOW = Answer(outcome="allow_once")
KEY = "ghp_" + "a1B2c3D4e5" * 4


async def answered(rig: Rig, model_api: FakeModelApi, command: str = "touch made.txt") -> str:
    model_api.script(tool_turn("bash", command=command), text_turn("done"))
    session_id = await rig.new("Make a file")
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended()
    return session_id


@pytest.mark.promise("gate-A1")
async def test_the_text_that_was_shown_is_kept_with_the_answer(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await answered(rig, model_api, "touch made\u202e.txt")
    request = (await rig.asked()).request
    assert isinstance(request, ApprovalRequest)
    (resolved,) = rig.events(InputResolved)
    assert resolved.shown_sha256 == hashlib.sha256(shown_text(request).encode()).hexdigest()
    await rig.engine.handle(LoadBlob(session_id=session_id, sha256=resolved.shown_sha256))
    (loaded,) = [update for update in rig.updates if isinstance(update, BlobLoaded)]
    assert "touch made⟦U+202E⟧.txt" in loaded.text
    assert "\u202e" not in loaded.text


async def test_an_edited_call_keeps_the_persons_version(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("done"))
    session_id = await rig.new("Make a file")
    asked = await rig.asked()
    edited = {"command": "touch other.txt"}
    await rig.engine.handle(CheckEdit(session_id=session_id, input_id=asked.input_id, edited_input=edited))
    (checked,) = [update for update in rig.updates if isinstance(update, EditChecked)]
    assert checked.request is not None
    changed = asked.model_copy(update={"request": checked.request})
    await rig.answer(session_id, changed, Answer(outcome="allow_once", edited_input=edited))
    await rig.ended()
    (resolved,) = rig.events(InputResolved)
    assert resolved.shown_sha256 == hashlib.sha256(shown_text(checked.request).encode()).hexdigest()
    assert "touch other.txt" in shown_text(checked.request)
    assert len(rig.events(ToolCallStarted)) == 1


async def test_an_untouched_record_is_verified_with_its_number_and_time(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await answered(rig, model_api)
    await rig.engine.handle(VerifyAudit(session_id=session_id))
    await rig.engine.handle(VerifyAudit())
    one, all_ = [update for update in rig.updates if isinstance(update, AuditVerified)]
    records = len(rig.engine.sessions.get(session_id).log)
    assert one.ok
    assert one.text.startswith(f"{records} records verified at ")
    assert (one.records, all_.records, all_.session_id) == (records, records, "")


async def test_a_changed_record_is_named(rig: Rig, model_api: FakeModelApi, folders: Folders) -> None:
    session_id = await answered(rig, model_api)
    raw = sqlite3.connect(folders.store / "banksman.db", isolation_level=None)
    raw.execute("DROP TRIGGER event_is_never_changed")
    raw.execute("UPDATE event SET body = body || ' ' WHERE seq = 5")
    raw.close()
    await rig.engine.handle(VerifyAudit(session_id=session_id))
    (told,) = [update for update in rig.updates if isinstance(update, AuditVerified)]
    assert not told.ok
    assert told.text == "Record 5 does not match what was written. Records after it cannot be trusted."


async def test_what_cannot_be_read_is_said(rig: Rig, folders: Folders) -> None:
    await rig.engine.handle(VerifyAudit(session_id="ses_none"))
    assert [failed.code for failed in rig.failures()] == ["unreadable"]


async def test_the_record_is_exported_without_secrets_and_never_over_a_file(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    session_id = await answered(rig, model_api, f"echo {KEY} > made.txt")
    out = tmp_path / "record.jsonl"
    await rig.engine.handle(ExportAudit(session_id=session_id, path=str(out)))
    (told,) = [update for update in rig.updates if isinstance(update, AuditExported)]
    assert (told.path, told.records) == (str(out), len(rig.engine.sessions.get(session_id).log))
    assert KEY not in out.read_text()
    assert json.loads(out.read_text().splitlines()[0])["session"] == session_id
    assert verify(out).findings == []
    for path in (str(out), str(tmp_path / "none" / "x.jsonl"), "relative.jsonl"):
        await rig.engine.handle(ExportAudit(session_id=session_id, path=path))
    assert [failed.code for failed in rig.failures()] == ["not_exported"] * 3
    assert "exists already" in rig.failures()[0].text


async def test_the_end_of_the_app_leaves_anchors_that_hold(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    session_id = await answered(rig, model_api)
    last = rig.engine.sessions.get(session_id).log[-1]
    await rig.engine.stop()
    lines = [json.loads(line) for line in (folders.logs / "anchors.jsonl").read_text().splitlines()]
    assert [line["seq"] for line in lines] == [0, last.seq]
    assert lines[-1]["hash"] == last.hash
    report = verify(folders.store, folders.logs / "anchors.jsonl")
    assert (report.anchors, report.findings) == (2, [])


@pytest.mark.parametrize(
    ("findings", "text"),
    [
        ([("cut_before_anchor", 9)], "Record 9 was written and is missing."),
        ([("anchor_chain", 2)], "Line 2 of the anchors in the log folder was changed."),
        (
            [("seq_gap", 4), ("blob_missing", 7)],
            "Records before 4 are missing. Records after it cannot be trusted. 2 faults in all.",
        ),
    ],
)
async def test_every_fault_has_a_sentence(findings: list[tuple[str, int]], text: str) -> None:
    found = [Finding("ses_a", seq, kind, "", "") for kind, seq in findings]
    assert verdict_text(Report(10, 0, found), utc_now()) == text
    assert verdict_text(Report(1, 0, []), utc_now()).startswith("1 record verified at ")
    assert verdict_text(Report(1204, 0, []), utc_now()).startswith("1,204 records verified at ")
