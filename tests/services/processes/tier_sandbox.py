"""A sandbox in one tier, for tests of what runs in it: what the tier stops is tried once in each test process."""

import os

import pytest

from desktop.domain.gate.sandbox import SandboxReport, SandboxTier
from desktop.services.processes.sandbox.limits import ProcessLimits
from desktop.services.processes.sandbox.sandbox import EVERY_TIER, Sandbox, SandboxOptions

_tried: dict[SandboxTier, SandboxReport] = {}


async def sandbox_in(tier: SandboxTier, limits: ProcessLimits = EVERY_TIER.limits) -> Sandbox:
    """Probed, so that its first command starts at once. The test is skipped where the tier does not work."""
    tiers = () if tier == "none" else (tier,)
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=tiers, limits=limits, found=_tried.get(tier)))
    report = await sandbox.probe()
    if report.tier != tier:
        pytest.skip(f"{tier} does not work here: {report.reason}")
    if tier != "none":
        _tried[tier] = report
    return sandbox
