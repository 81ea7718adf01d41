"""ProofPublisher: proofs in the text of a lane's pull request, exactly as a person saw them before (F16-F18)."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from desktop.agent.core.desk import Handler
from desktop.agent.core.parts import LaneParts
from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.proofs.published_pictures import ProofPictures, ReadyPicture, addresses, contents
from desktop.agent.pulls.build import PullDesks
from desktop.agent.pulls.here import PullHere, pull_here
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.block import ProofRow, block_in, proof_block, with_block
from desktop.domain.proofs.updates import ProofsPublished, PublishPlanned
from desktop.domain.proofs.values import Proof, ProofLink, staleness
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.services.proofs.branch import BRANCH

CHANGED = "What would be posted changed since you looked at it. Look at it again."


@dataclass(frozen=True)
class _Made:
    text: str
    pictures: tuple[ReadyPicture, ...]


class ProofPublisher:
    """Engine thread only. Pictures stay here, and the text names each by its hash, unless a person wants them to be
    pushed; then nothing is posted before they are there. `tell` sends the list of a lane."""

    def __init__(
        self, parts: LaneParts, intake: ProofIntake, pulls: PullDesks, reports: ReportBook,
        tell: Callable[[str], Awaitable[None]],
    ) -> None:  # fmt: skip
        self._parts, self._intake, self._pulls, self._reports = parts, intake, pulls, reports
        self._tell = tell
        self._pictures = ProofPictures(parts)

    def handlers(self) -> dict[type[Command], Handler]:
        """Showing what would be posted, and posting it."""
        return {c.PlanPublish: self._plan, c.PublishProofs: self._publish}

    async def block(self, lane: Lane, proof_ids: tuple[str, ...], seen_at: Mapping[str, str] | None = None) -> str:
        """The part of a request's text that shows these proofs of the lane and the evidence of its last report.
        `seen_at`: by proof, where its picture can be seen.

        Raises:
            CommandError: `unknown_proof`: one of them is not this lane's, or is not there any more.
        """
        place = await self._intake.place(lane)
        return self.block_for(lane, proof_ids, place.head, place.tree_id, seen_at)

    def block_for(
        self, lane: Lane, proof_ids: tuple[str, ...], head: str, tree: str, seen_at: Mapping[str, str] | None = None
    ) -> str:
        """The same for the lane at this commit and with these files. Looks at no file.

        Raises:
            CommandError: `unknown_proof`: see `block`.
        """
        rows = [
            ProofRow(proof=proof, stale=staleness(proof, head, tree), url=(seen_at or {}).get(proof.id, ""))
            for proof in self.proofs(lane, proof_ids)
        ]
        return proof_block(rows, self._reports.evidence(lane.id, tree))

    def posted(self, lane: Lane, proof_ids: tuple[str, ...], request: str, url: str) -> None:
        """The text of this request (`owner/name#42`), which lies at `url`, names these proofs now."""
        link = ProofLink(owner="pull_request", owner_id=request, relation="published_to", address=url)
        for proof_id in proof_ids:
            self._intake.store.link(proof_id, link)

    def proofs(self, lane: Lane, proof_ids: tuple[str, ...]) -> list[Proof]:
        """The records of these, each once.

        Raises:
            CommandError: `unknown_proof`: see `block`.
        """
        found = [self._intake.store.get(proof_id) for proof_id in dict.fromkeys(proof_ids)]
        proofs = [one for one in found if one is not None and one.lane_id == lane.id]
        if len(proofs) != len(found):
            raise CommandError("unknown_proof", "One of these proofs does not exist in this lane any more.")
        return proofs

    async def _plan(self, command: c.PlanPublish) -> None:
        here = await self._here(command.lane_id)
        problem = await self._pictures.problem(here, self._linked(here))
        remembered = self._intake.store.publishes_pictures(here.lane.project_id)
        wanted = (remembered if command.pictures is None else command.pictures) and not problem
        made = await self._made(here, command.proof_ids, pictures=wanted)
        self._parts.publish(
            PublishPlanned(
                command_id=command.command_id, lane_id=here.lane.id, proof_ids=command.proof_ids,
                request=_request(here), url=here.pull.url, text=made.text, digest=_digest(here, made),
                private=here.place.facts.private, replaces=bool(block_in(here.pull.body)), with_pictures=wanted,
                pictures=tuple(one.shown for one in made.pictures), branch=BRANCH, no_pictures=problem,
            )
        )  # fmt: skip

    async def _publish(self, command: c.PublishProofs) -> None:
        """Raises CommandError `changed`: not what was shown. What was edited meanwhile is kept, or it is refused."""
        here = await self._here(command.lane_id)
        made = await self._made(here, command.proof_ids, pictures=command.pictures)
        if _digest(here, made) != command.digest:
            raise CommandError("changed", CHANGED)
        if command.pictures:
            await self._pictures.push(here, self._linked(here), made.pictures)
        self._intake.store.save_publishes_pictures(here.lane.project_id, command.pictures)
        body = here.pull.body
        await self._pulls.edits.edit(here.lane.id, body=with_block(body, made.text), seen_body=body)
        self.posted(here.lane, command.proof_ids, _request(here), here.pull.url)
        self._parts.publish(
            ProofsPublished(
                command_id=command.command_id, lane_id=here.lane.id, request=_request(here), url=here.pull.url
            )
        )
        await self._tell(here.lane.id)

    async def _here(self, lane_id: str) -> PullHere:
        return await pull_here(self._parts, self._pulls.book, lane_id)

    def _linked(self, here: PullHere) -> RepositoryId | None:
        return self._pulls.book.link(here.lane.id).repository

    async def _made(self, here: PullHere, proof_ids: tuple[str, ...], *, pictures: bool) -> _Made:
        ready = await self._pictures.ready(here, self.proofs(here.lane, proof_ids)) if pictures else ()
        return _Made(await self.block(here.lane, proof_ids, addresses(here, ready)), ready)


def _request(here: PullHere) -> str:
    return f"{here.place.repository.slug}#{here.number}"


def _digest(here: PullHere, made: _Made) -> str:
    """What a person's yes is bound to: the text and the pictures, where they go, and who can see them there."""
    facts = here.place.facts
    where = (here.lane.id, facts.repository.host, _request(here), str(facts.private))
    parts = (*where, made.text, contents(made.pictures))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
