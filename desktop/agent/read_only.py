"""StoreWatch: a store that can only be read: what is told of it, which commands are refused, and the late check."""

import asyncio

from desktop.agent.core.session import Publish
from desktop.domain import commands as c
from desktop.domain.changes import commands as review
from desktop.domain.chats.commands import (
    CommandBase,
    CompareCheckpoints,
    ExportSession,
    FindInSession,
    LoadAttachment,
    LoadCheckpoints,
    LoadInstructions,
    PreviewRewind,
    SearchChats,
)
from desktop.domain.chats.sounds import PlaySound
from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.errors import CommandError
from desktop.domain.github import commands as github
from desktop.domain.lanes.commands import (
    LoadBehind,
    LoadConflicts,
    LoadLaneBases,
    LoadLaneFile,
    LoadSetupLog,
    LoadTrash,
    LoadWorktrees,
    OpenInEditor,
    PlanDelete,
    PlanMerge,
    RefreshLanes,
)
from desktop.domain.proofs import commands as proofs
from desktop.domain.pulls import commands as pr
from desktop.domain.reports.commands import LookAtReports
from desktop.domain.rounds.commands import LoadInventory
from desktop.store.core.connection import READ_ONLY
from desktop.store.core.soundness import BackgroundCheck
from desktop.store.database import DATABASE_NAME, Store

READING: frozenset[type[CommandBase]] = frozenset({
    c.OpenProject, c.OpenSession, c.LoadBlob, LoadAttachment, c.SaveText,
    SearchChats, FindInSession, ExportSession, c.VerifyAudit, c.ExportAudit,
    LoadCheckpoints, CompareCheckpoints, PreviewRewind, LoadInstructions,
    c.LoadRules, c.LoadTools, c.TryCommand, c.PreviewRule, c.ProbeSandbox,
    c.SaveSettings, c.SaveKey, c.RemoveKey, c.CheckEndpoint,
    c.TestDatabase, c.SaveDatabasePassword, c.RemoveDatabasePassword,
    LookAtReports, LoadLaneBases, LoadWorktrees, LoadLaneFile, LoadSetupLog, LoadTrash, PlanDelete, RefreshLanes,
    LoadBehind, PlanMerge, LoadConflicts, review.LoadLaneChanges, review.LoadDiff, review.LoadComments,
    review.LoadCommitState, review.PlanPushes,
    review.OpenTerminal, review.TerminalInput, review.ResizeTerminal, review.TerminalShown, review.CloseTerminal,
    review.LoadTerminals, review.QuoteTerminal, review.EndLeftover, OpenInEditor,
    proofs.LoadProofs, proofs.LoadProofContent, proofs.CompareProofs, proofs.SaveProof, proofs.LoadCapture,
    proofs.CountProofs,
    github.LoadGitHub, github.SignInWithToken, github.SignInWithGh, github.SignInWithDevice, github.StopSignIn,
    github.SignOut, github.SaveGitHubHost, github.RemoveGitHubHost,
    pr.ShowPullRequest, pr.PullWindowSeen, pr.RefreshPullRequest, pr.PlanPullRequest, pr.LoadCheck, pr.LoadCheckLog,
    pr.LoadForeignPicture, pr.PlanPullMerge, pr.ListPullRequests, LoadInventory, PlaySound,
})  # fmt: skip
"""What may be asked of a store that is only read: nothing of it records anything of a chat."""

CHECK_AFTER_S = 5.0


class StoreWatch:
    """All on the engine thread but the check itself."""

    def __init__(self, store: Store, publish: Publish) -> None:
        self._publish = publish
        self._problems = store.problems
        self._check = None if store.checked else BackgroundCheck(store.folder / DATABASE_NAME)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_reading(self) -> bool:
        """Whether nothing can be recorded."""
        return bool(self._problems)

    def start(self) -> None:
        """Tell what is wrong; look through a large store when the window stands."""
        if self._problems:
            self._publish(StoreDamaged(problems=self._problems))
        elif self._check is not None:
            self._task = asyncio.create_task(self._look(self._check), name="store check")

    def refuse(self, command: CommandBase) -> None:
        """Nothing, when the command may be carried out.

        Raises:
            CommandError: `read_only`: it would record something, and nothing can be recorded.
        """
        if self._problems and type(command) not in READING:
            raise CommandError("read_only", READ_ONLY)

    async def close(self) -> None:
        """Give up the check."""
        if self._check is not None:
            self._check.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look(self, check: BackgroundCheck) -> None:
        await asyncio.sleep(CHECK_AFTER_S)
        found = await asyncio.to_thread(check.run)
        if found:
            self._problems = (
                f"The chats are damaged: {found}. From now on they are only read. Start Banksman again to see what can "
                "be read of them.",
            )
            self._publish(StoreDamaged(problems=self._problems))
