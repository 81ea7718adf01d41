"""ProofPictures: the pictures of proofs as they are published beside the text of a request (lanes-F8, lanes-F17)."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.here import PullHere, recorded
from desktop.domain.core.errors import CommandError, GitError
from desktop.domain.proofs.block import SHORT_HASH
from desktop.domain.proofs.updates import PublishedPicture
from desktop.domain.proofs.values import Proof
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.records import dataclass
from desktop.services.git.login import Login
from desktop.services.github.remotes import parse_remote
from desktop.services.pictures.pictures import PictureProblem, bare_picture
from desktop.services.proofs.branch import BRANCH, PictureRemote, picture_remote, push_pictures
from desktop.store.core.blobs import BlobStore
from desktop.store.core.proofs import ProofStore

MAX_BYTES = 100 * 1024 * 1024
MAY_NOT = "You may not push to {slug}, so its requests cannot show pictures of yours."
NO_REMOTE = "No remote of this repository leads to {slug}, so pictures cannot be pushed there."
TOO_LARGE = "These pictures are over 100 MiB together. Attach fewer of them."
NOT_PUSHED = "The pictures were not pushed, so the text of the request was left as it is. {why}"


@dataclass(frozen=True)
class ReadyPicture:
    """A picture as it would be pushed, and its bytes."""

    shown: PublishedPicture
    data: bytes


class ProofPictures:
    """Engine thread only. `linked`: what the repository of a lane's request was called when they were linked."""

    def __init__(self, log: ProjectLog, login: Login, blobs: BlobStore, kept: ProofStore) -> None:
        self._log = log
        self._login = login
        self._blobs = blobs
        self._kept = kept

    def wanted(self, project_id: str) -> bool:
        """Whether a person wanted pictures to be pushed the last time."""
        return self._kept.publishes_pictures(project_id)

    def remember(self, project_id: str, wanted: bool) -> None:
        """A person wants pictures of this repository to be pushed, or not."""
        self._kept.save_publishes_pictures(project_id, wanted)

    async def problem(self, here: PullHere, linked: RepositoryId | None) -> str:
        """Why no picture can be pushed to the request's repository, "" when they can."""
        found = await self._remote(here, linked)
        return found if isinstance(found, str) else ""

    async def ready(self, here: PullHere, proofs: Iterable[Proof]) -> tuple[ReadyPicture, ...]:
        """Those that are pictures, made anew without what else their files tell. One whose content is gone or cannot
        be decoded is left out.

        Raises:
            CommandError: `too_large`: together they are over 100 MiB.
        """
        made: dict[str, ReadyPicture] = {}
        total = 0
        for proof in proofs:
            data = self._blobs.get(proof.sha256) if proof.is_picture else None
            if data is None:
                continue
            try:
                found, bare = await bare_picture(data)
            except PictureProblem:
                continue
            path = f"pr-{here.number}/{proof.sha256[:SHORT_HASH]}.{'jpg' if found.jpeg else 'png'}"
            shown = PublishedPicture(
                proof_id=proof.id, path=path, size=len(bare), width=found.width, height=found.height
            )
            total += len(bare)
            if total > MAX_BYTES:
                raise CommandError("too_large", TOO_LARGE)
            made[proof.id] = ReadyPicture(shown, bare)
        return tuple(made.values())

    async def push(self, here: PullHere, linked: RepositoryId | None, pictures: Iterable[ReadyPicture]) -> None:
        """They are on the branch. What it has already is not pushed again.

        Raises:
            CommandError: `not_pushed`: nothing was changed there, with why.
        """
        files = {one.shown.path: one.data for one in pictures}
        remote = await self._remote(here, linked)
        if isinstance(remote, str):
            raise CommandError("not_pushed", NOT_PUSHED.format(why=remote))
        if not files:
            return
        try:
            async with recorded(self._log, here, "push_proofs", branch=BRANCH, files=[*files]) as operation:
                pushed = await push_pictures(remote, files, f"Add proofs of #{here.number}", login=self._login)
                operation.result["pushed"] = pushed
        except GitError as error:
            raise CommandError("not_pushed", NOT_PUSHED.format(why=error)) from error

    async def _remote(self, here: PullHere, linked: RepositoryId | None) -> PictureRemote | str:
        """The remote that is the request's repository and no other, or why there is none."""
        facts, slug = here.place.facts, here.place.repository.slug
        if not facts.can_push or facts.archived:
            return MAY_NOT.format(slug=slug)
        if not here.place.remote:
            return NO_REMOTE.format(slug=slug)
        try:
            found = await asyncio.to_thread(picture_remote, Path(here.lane.worktree_path), here.place.remote)
        except GitError as error:
            return str(error)
        there = parse_remote(found.address)
        known = [_same(one) for one in (here.place.repository, linked) if one is not None]
        return found if there is not None and _same(there) in known else NO_REMOTE.format(slug=slug)


def addresses(here: PullHere, pictures: Iterable[ReadyPicture]) -> Mapping[str, str]:
    """By proof: where its picture can be seen once it is pushed."""
    repository = here.place.repository
    root = f"https://{repository.host}/{repository.slug}/raw/{BRANCH}"
    return {one.shown.proof_id: f"{root}/{one.shown.path}" for one in pictures}


def contents(pictures: Iterable[ReadyPicture]) -> str:
    """What tells these pictures from all others."""
    return "\n".join(f"{one.shown.path} {hashlib.sha256(one.data).hexdigest()}" for one in pictures)


def _same(repository: RepositoryId) -> tuple[str, str]:
    return repository.host, repository.slug.casefold()
