"""ResolutionStore: what pull requests wait for, rounds of work on them, and how the rounds are to go."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from desktop.domain.rounds.items import IssueItem, PipelineRun, PipelineSettings, RoundRecord


class ResolutionStore(Protocol):
    """Engine thread only. What is kept is on the disk when a method returns. `pull`: see `pull_key`.

    Raises:
        StoreWriteFailed: it did not reach the disk.
        StoreError: a value is none that may be kept (lanes-P22); what is stored is unchanged.
    """

    def items(self, pull: str) -> tuple[IssueItem, ...]:
        """The inventory, oldest first."""

    def save_items(self, pull: str, items: Iterable[IssueItem], synced_at: datetime | None = None) -> None:
        """Add these, or replace what they were; all or none. `synced_at`: the forge told this then."""

    def synced_at(self, pull: str) -> datetime | None:
        """The time at which the forge last told what is in the inventory, None for never."""

    def rounds(self, pull: str) -> tuple[RoundRecord, ...]:
        """The rounds of a pull request, first to last."""

    def save_round(self, pull: str, record: RoundRecord) -> None:
        """Add this round, or replace what it was."""

    def settings(self, pull: str) -> PipelineSettings:
        """The settings of a pull request's rounds; the defaults where nothing was chosen."""

    def save_settings(self, pull: str, settings: PipelineSettings) -> None:
        """Keep the settings of a pull request's rounds."""

    def run(self, pull: str) -> PipelineRun:
        """The state of a pull request's rounds; idle where none began."""

    def save_run(self, pull: str, run: PipelineRun) -> PipelineRun:
        """Keep the state of a pull request's rounds. The round never goes back: the higher of both is kept and
        returned."""
