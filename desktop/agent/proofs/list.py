"""ProofList: tells the window which proofs a lane has, how fresh each is, and what it belongs to."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.proofs.chat import NO_BROWSER
from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.pulls.book import PullBook
from desktop.agent.reports.book import ReportBook
from desktop.agent.reports.proofs import named_in
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.block import names_proof
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.proofs.values import Proof, ProofLink, ShownProof, staleness
from desktop.store.core.events import EventStore


class ProofOwners:
    """What proofs belong to, and what people call that."""

    def __init__(self, ground: Ground, events: EventStore, reports: ReportBook, book: PullBook) -> None:
        self._ground = ground
        self._events = events
        self._reports = reports
        self._book = book

    def titles(self, project_id: str) -> dict[str, str]:
        """By the id of a chat, its title."""
        return {row.session_id: row.title for row in self._events.rows(project_id)}

    def reports(self, lane_id: str) -> dict[str, dict[ProofLink, str]]:
        """By the id of a proof, the reports of the lane that name it."""
        return named_in(self._reports.made_in(lane_id))

    def holds(self, proof: Proof, link: ProofLink) -> bool:
        """Whether it belongs there as far as anybody knows: a proof that was taken out of the text of the lane's
        request is published no more. Its record stays: who posted it did."""
        found = self._book.snapshot(proof.lane_id) if link.relation == "published_to" else None
        if found is None or found.pull is None or found.repository is None or found.problem is not None:
            return True
        here = link.owner_id == f"{found.repository.slug}#{found.pull.number}"
        return not here or names_proof(found.pull.body, proof)

    def name(self, link: ProofLink, titles: dict[str, str]) -> str:
        """What people call an owner, "" for one that is gone or has no name but its id."""
        if link.owner == "session":
            return titles.get(link.owner_id, "")
        lane = self._ground.lanes.get(link.owner_id) if link.owner == "lane" else None
        return lane.name if lane is not None else ""


class ProofList:
    """Engine thread only. `browser`: the browser that pages of a lane are captured with, "" for none."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        clock: Callable[[], datetime],
        intake: ProofIntake,
        owners: ProofOwners,
        browser: Callable[[Lane], str],
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._clock = clock
        self._intake = intake
        self._owners = owners
        self._browser = browser

    async def tell(self, lane_id: str, command_id: str = "") -> None:
        """Send the list of a lane, compared with its files as they are now."""
        lane = self._ground.lane(lane_id)
        proofs = self._intake.store.of_lane(lane_id)
        place = await self._intake.place(lane) if proofs else None
        head, tree = (place.head, place.tree_id) if place is not None else ("", "")
        titles = self._owners.titles(lane.project_id) if proofs else {}
        named = self._owners.reports(lane_id) if proofs else {}
        shown = tuple(self._shown(proof, head, tree, titles, named.get(proof.id, {})) for proof in proofs)
        browser = await asyncio.to_thread(self._browser, lane)
        self._publish(
            ProofsChanged(
                lane_id=lane_id,
                proofs=shown,
                of=self._intake.store.count(lane_id),
                as_of=self._clock(),
                page_problem="" if browser else NO_BROWSER,
                command_id=command_id,
                project_bytes=self._intake.store.size_of_project(lane.project_id),
            )
        )

    def _shown(
        self, proof: Proof, head: str, tree: str, titles: dict[str, str], reports: dict[ProofLink, str]
    ) -> ShownProof:
        kept = (link for link in self._intake.store.links(proof.id) if self._owners.holds(proof, link))
        links = (*kept, *reports)
        found = [(link.owner_id, reports.get(link) or self._owners.name(link, titles)) for link in links]
        return ShownProof(
            proof=proof,
            stale=staleness(proof, head, tree),
            missing=not self._intake.blobs.has(proof.sha256),
            links=links,
            names=tuple((owner_id, name) for owner_id, name in found if name),
        )
