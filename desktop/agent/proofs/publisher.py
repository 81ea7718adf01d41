"""ProofPublisher: proofs in the text of a lane's pull request, exactly as a person saw them before (lanes-F16 to
lanes-F18)."""

import hashlib
from collections.abc import Awaitable, Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.proofs.published_pictures import ProofPictures, ReadyPicture, addresses, contents
from desktop.agent.proofs.texts import ProofTexts
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.edits import PullEdits
from desktop.agent.pulls.here import PullHere, pull_here
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.block import block_in, with_block
from desktop.domain.proofs.updates import ProofsPublished, PublishPlanned
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.records import dataclass
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
        self,
        publish: Publish,
        texts: ProofTexts,
        pictures: ProofPictures,
        book: PullBook,
        edits: PullEdits,
        tell: Callable[[str], Awaitable[None]],
    ) -> None:
        self._publish = publish
        self._texts = texts
        self._pictures = pictures
        self._book = book
        self._edits = edits
        self._tell = tell

    def handlers(self) -> dict[type[Command], Handler]:
        """Showing what would be posted, and posting it."""
        return {c.PlanPublish: self._plan, c.PublishProofs: self._post}

    async def _plan(self, command: c.PlanPublish) -> None:
        here = await self._here(command.lane_id)
        problem = await self._pictures.problem(here, self._linked(here))
        remembered = self._pictures.wanted(here.lane.project_id)
        wanted = (remembered if command.pictures is None else command.pictures) and not problem
        made = await self._made(here, command.proof_ids, pictures=wanted)
        self._publish(
            PublishPlanned(
                command_id=command.command_id,
                lane_id=here.lane.id,
                proof_ids=command.proof_ids,
                request=_request(here),
                url=here.pull.url,
                text=made.text,
                digest=_digest(here, made),
                private=here.place.facts.private,
                replaces=bool(block_in(here.pull.body)),
                with_pictures=wanted,
                pictures=tuple(one.shown for one in made.pictures),
                branch=BRANCH,
                no_pictures=problem,
            )
        )

    async def _post(self, command: c.PublishProofs) -> None:
        """Raises CommandError `changed`: not what was shown. What was edited meanwhile is kept, or it is refused."""
        here = await self._here(command.lane_id)
        made = await self._made(here, command.proof_ids, pictures=command.pictures)
        if _digest(here, made) != command.digest:
            raise CommandError("changed", CHANGED)
        if command.pictures:
            await self._pictures.push(here, self._linked(here), made.pictures)
        self._pictures.remember(here.lane.project_id, command.pictures)
        body = here.pull.body
        await self._edits.edit(here.lane.id, body=with_block(body, made.text), seen_body=body)
        self._texts.posted(here.lane, command.proof_ids, _request(here), here.pull.url)
        await self._book.fresh(here.lane.id)
        self._publish(
            ProofsPublished(
                command_id=command.command_id, lane_id=here.lane.id, request=_request(here), url=here.pull.url
            )
        )
        await self._tell(here.lane.id)

    async def _here(self, lane_id: str) -> PullHere:
        return await pull_here(self._book, lane_id)

    def _linked(self, here: PullHere) -> RepositoryId | None:
        return self._book.link(here.lane.id).repository

    async def _made(self, here: PullHere, proof_ids: tuple[str, ...], *, pictures: bool) -> _Made:
        ready = await self._pictures.ready(here, self._texts.proofs(here.lane, proof_ids)) if pictures else ()
        return _Made(await self._texts.block(here.lane, proof_ids, addresses(here, ready)), ready)


def _request(here: PullHere) -> str:
    return f"{here.place.repository.slug}#{here.number}"


def _digest(here: PullHere, made: _Made) -> str:
    """What a person's yes is bound to: the text and the pictures, where they go, and who can see them there."""
    facts = here.place.facts
    where = (here.lane.id, facts.repository.host, _request(here), str(facts.private))
    parts = (*where, made.text, contents(made.pictures))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
