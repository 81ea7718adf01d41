"""ProofPosting: an agent attaches proofs to its lane's pull request, exactly as the gate saw the text (lanes-F16)."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.proofs.texts import ProofTexts
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.edits import PullEdits
from desktop.agent.pulls.here import pull_here
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.block import block_in, with_block
from desktop.domain.proofs.values import Proof, kind_words
from desktop.services.git.run import Git, head_commit
from desktop.services.history.tree_id import commit_tree_id
from desktop.tools.proof_calls import PostedProofs

CHANGED = "Not done: what would be posted changed since it was decided. Call it again."
DIRTY = "The lane's files are not those of its last commit, so the text would say too much. Commit first."
_WHO = {
    True: "A private repository.",
    False: "A public repository: everybody can read this.",
    None: "Who can read the repository is not known.",
}
_NAMED_TOLD: Mapping[str, str] = {"kept": "{} · {}, {}; its content stays on this computer"}
_KIB = 1024


class ProofPosting:
    """Engine thread only. Words alone: pictures are pushed by a person, never by an agent. The text is that of the
    lane's last commit, so it is known without looking at files, and posted only while the files are the same."""

    def __init__(
        self,
        intake: ProofIntake,
        texts: ProofTexts,
        book: PullBook,
        edits: PullEdits,
        tell: Callable[[str], Awaitable[None]],
    ) -> None:
        self._intake = intake
        self._texts = texts
        self._book = book
        self._edits = edits
        self._tell = tell

    def target(self, lane: Lane, proof_ids: tuple[str, ...]) -> str:
        """Who could read it, each proof, and the exact text. Takes some milliseconds.

        Raises:
            CommandError: `unknown_proof`: one of them is not this lane's.
        """
        found = self._book.snapshot(lane.id)
        private = found.facts.private if found is not None and found.facts is not None else None
        listed = [_line(proof) for proof in self._texts.proofs(lane, proof_ids)]
        return "\n".join([_WHO[private], *listed, f"Text:\n{self._block(lane, proof_ids)}"])

    async def post(self, lane: Lane, proof_ids: tuple[str, ...], target: str) -> PostedProofs:
        """Put the text into the request, if it is still what `target` says.

        Raises:
            CommandError: `dirty`, `changed`, or it cannot be posted.
            GitHubError: GitHub could not be asked.
        """
        head, tree = self._committed(lane)
        place = await self._intake.place(lane)
        if (place.head, place.tree_id) != (head, tree):
            raise CommandError("dirty", DIRTY)
        here = await pull_here(self._book, lane.id, by="tool")
        if self.target(lane, proof_ids) != target or not target.startswith(_WHO[here.place.facts.private]):
            raise CommandError("changed", CHANGED)
        body = here.pull.body
        block = self._block(lane, proof_ids)
        made = with_block(body, block)
        await self._edits.edit(lane.id, body=made, seen_body=body, by="tool")
        request = f"{here.place.repository.slug}#{here.number}"
        self._texts.posted(lane, proof_ids, request, here.pull.url)
        await self._book.fresh(lane.id)
        await self._tell(lane.id)
        return PostedProofs(request=request, url=here.pull.url, block=block, before=block_in(body))

    def _block(self, lane: Lane, proof_ids: tuple[str, ...]) -> str:
        return self._texts.block_for(lane, proof_ids, *self._committed(lane))

    def _committed(self, lane: Lane) -> tuple[str, str]:
        """The lane's last commit and the id of its files."""
        root = Path(lane.worktree_path)
        head = head_commit(root)
        return head, commit_tree_id(Git(root), head) if head else ""


def _line(proof: Proof) -> str:
    sides = f", {proof.width}×{proof.height}" if proof.is_picture else ""
    size = f"{max(1, round(proof.size / _KIB)):,} KiB"
    return _NAMED_TOLD["kept"].format(proof.title, kind_words(proof.kind), f"{size}{sides}")
