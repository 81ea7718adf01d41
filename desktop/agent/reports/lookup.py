"""Lookup: whether what claims and artifacts name is there: files, proofs, pull requests, evidence (lanes-E3,
lanes-E9)."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from desktop.agent.reports.sources import ProofSource, PullSource
from desktop.domain.core.errors import PathError
from desktop.domain.reports.events import CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Found
from desktop.domain.reports.verdicts import Facts, Known
from desktop.services.files.lane_files import LaneFiles

_PULL = re.compile(r"#\d{1,9}")
_PULL_ADDRESS = re.compile(r"/pull/\d{1,9}(/|$)")


class Lookup:
    """`proofs`, `pulls`: who knows of them; None: nobody does. Addresses are never opened."""

    def __init__(self, proofs: ProofSource | None = None, pulls: PullSource | None = None) -> None:
        self._proof_source = proofs
        self._pull_source = pulls

    async def complete(
        self, facts: Facts, lane_id: str, files: LaneFiles | None, reports: Sequence[CompletionReported]
    ) -> Facts:
        """The facts with what these reports name. `files`: the lane's, None where it cannot be reached."""
        claims = [claim for report in reports for claim in report.claims]
        named = {one.reference for report in reports for one in report.artifacts}
        paths = {claim.path for claim in claims if claim.kind == "file"} | {one for one in named if _is_path(one)}
        there = await asyncio.to_thread(_there, files, paths) if files is not None and paths else {}
        proofs = {claim.proof_id for claim in claims if claim.kind == "proof"} | {n for n in named if n[:3] == "pf_"}
        prs = {claim.pr for claim in claims if claim.kind == "pr"} | {one for one in named if _is_pull(one)}
        found = replace(
            facts,
            files=there,
            proofs=self._proofs(lane_id, proofs, facts.tree),
            prs=await self._prs(lane_id, prs),
        )
        return replace(found, artifacts={name: _found(name, found) for name in named})

    def _proofs(self, lane_id: str, ids: Iterable[str], tree: str) -> dict[str, Known]:
        source = self._proof_source
        known = {one: source.known(lane_id, one, tree) for one in ids} if source is not None else {}
        return {one: state for one, state in known.items() if state is not None}

    async def _prs(self, lane_id: str, named: Iterable[str]) -> dict[str, bool]:
        known: dict[str, bool] = {}
        source = self._pull_source
        for one in sorted(named) if source is not None else ():
            exists = await source.exists(lane_id, one) if source is not None else None
            if exists is not None:
                known[one] = exists
        return known


def _is_address(reference: str) -> bool:
    return urlsplit(reference).scheme in ("http", "https")


def _is_pull(reference: str) -> bool:
    address = _is_address(reference) and _PULL_ADDRESS.search(urlsplit(reference).path) is not None
    return address or _PULL.fullmatch(reference) is not None


def _is_path(reference: str) -> bool:
    return not (_is_address(reference) or _is_pull(reference) or reference[:3] in ("ev_", "pf_"))


def _found(reference: str, facts: Facts) -> Found:
    """Whether what an artifact names is there."""
    if reference.startswith("ev_"):
        ids = {one.evidence_id for one in facts.record if isinstance(one, EvidenceRecorded)}
        return "found" if reference in ids else "missing"
    if reference.startswith("pf_"):
        proof = facts.proofs.get(reference)
        return "not_looked_up" if proof is None else "missing" if proof in ("missing", "dismissed") else "found"
    if _is_pull(reference):
        pull = facts.prs.get(reference)
        return "not_looked_up" if pull is None else "found" if pull else "missing"
    if _is_address(reference):
        return "not_looked_up"
    return "found" if facts.files.get(reference, False) else "missing"


def _there(files: LaneFiles, paths: Iterable[str]) -> dict[str, bool]:
    """By path, whether it is in the lane. Blocking."""
    return {path: _is_there(files, path) for path in paths}


def _is_there(files: LaneFiles, path: str) -> bool:
    try:
        facts = files.resolve(path, "read")
    except (PathError, OSError, ValueError):
        return False
    return facts.exists and facts.verdict in ("inside", "protected")
