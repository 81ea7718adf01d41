"""ProofRetention: which proofs a chat or a lane that is deleted would leave behind, and their removal (lanes-F15)."""

from collections.abc import Callable, Iterable, Sequence

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.core.command import Command
from desktop.domain.core.errors import StoreError
from desktop.domain.proofs.commands import CountProofs
from desktop.domain.proofs.updates import ProofsCounted, ProofsRemoved
from desktop.domain.proofs.values import Proof, ProofLink
from desktop.store.core.store import Store


class ProofRetention:
    """Engine thread. A proof belongs to its chat and to its lane; what others have as well (another chat, a pull
    request, a report) is left out."""

    def __init__(self, store: Store, publish: Publish) -> None:
        self._removal = store.proof_removal
        self._proofs = store.proofs
        self._rows = store.evidence
        self._publish = publish

    def handlers(self) -> dict[type[Command], Handler]:
        """Counting those of a chat."""
        return {CountProofs: self._count}

    def of_chat(self, session_id: str) -> tuple[Proof, ...]:
        """Those of a chat, and of no other owner than its lane."""
        return self._only(
            self._proofs.of_owner("session", session_id),
            lambda link: link.owner == "lane" or (link.owner, link.owner_id) == ("session", session_id),
        )

    def of_lane(self, lane_id: str) -> tuple[Proof, ...]:
        """Those of a lane, and of no other owner than the chats in it."""
        here = {("lane", lane_id), *(("session", one) for one in self._rows.in_lane(lane_id))}
        return self._only(self._proofs.of_owner("lane", lane_id), lambda link: (link.owner, link.owner_id) in here)

    async def remove(self, proofs: Sequence[Proof]) -> str:
        """Remove these for good, with the content that nothing else names; a sentence when they are still there."""
        if not proofs:
            return ""
        try:
            await self._removal.remove(proofs)
        except StoreError as error:
            return f"Its proofs could not be removed: {error}"
        self._publish(ProofsRemoved(lane_ids=tuple(sorted({proof.lane_id for proof in proofs}))))
        return ""

    async def _count(self, command: CountProofs) -> None:
        count = len(self.of_chat(command.session_id))
        self._publish(ProofsCounted(command_id=command.command_id, session_id=command.session_id, count=count))

    def _only(self, proofs: Iterable[Proof], is_own: Callable[[ProofLink], bool]) -> tuple[Proof, ...]:
        return tuple(proof for proof in proofs if all(is_own(link) for link in self._proofs.links(proof.id)))
