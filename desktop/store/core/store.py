"""Store: what the rest of the program knows of the store, whatever keeps it."""

from pathlib import Path
from typing import Protocol

from desktop.store.core.blobs import BlobStore
from desktop.store.core.events import EventStore
from desktop.store.core.evidence import EvidenceRows, InstructionRows
from desktop.store.core.lanes import LaneStore, PortLeases
from desktop.store.core.library import SearchIndex
from desktop.store.core.memory import MemoryStore
from desktop.store.core.proofs import ProofRemoval, ProofStore
from desktop.store.core.pulls import PullStore
from desktop.store.core.readings import Readings
from desktop.store.core.reviews import ReviewStore
from desktop.store.core.rounds import ResolutionStore

READ_ONLY = "The chats can only be read now, so this was not done. The notice at the top of the window says why."


class LaterCheck(Protocol):
    """A look through all of a store, for a worker thread, while the store is used."""

    def run(self) -> str:
        """The fault that the check found, "" for none, also when the check was stopped."""

    def stop(self) -> None:
        """Give it up. From any thread."""


class Store(Protocol):
    """An open store. This process is its one writer until `close`; all of it belongs to the thread that opened it.

    What is kept has one part for each theme. Whoever needs a part is given that part alone.
    """

    @property
    def store_id(self) -> str:
        """The id that names this store for ever, wherever it is moved."""

    @property
    def folder(self) -> Path:
        """The folder of the store; of one that can only be read, the folder of what can be read."""

    @property
    def problems(self) -> tuple[str, ...]:
        """The reasons why the store can only be read, and what of it cannot, as sentences; empty: it can be written."""

    @property
    def events(self) -> EventStore:
        """The log of every chat."""

    @property
    def blobs(self) -> BlobStore:
        """Bytes that events and records name."""

    @property
    def lanes(self) -> LaneStore:
        """The lanes that were created."""

    @property
    def ports(self) -> PortLeases:
        """The blocks of ports that lanes have."""

    @property
    def reviews(self) -> ReviewStore:
        """The comments and looks of people on changes."""

    @property
    def pulls(self) -> PullStore:
        """The requests of lanes."""

    @property
    def resolutions(self) -> ResolutionStore:
        """The inventories of pull requests, and the rounds of work on them."""

    @property
    def proofs(self) -> ProofStore:
        """Records of proofs."""

    @property
    def proof_removal(self) -> ProofRemoval:
        """The removal of proofs and of what they alone hold."""

    @property
    def evidence(self) -> EvidenceRows:
        """The reports of agents, and the results of their commands."""

    @property
    def instructions(self) -> InstructionRows:
        """The chats whose agents left instruction files."""

    @property
    def memory(self) -> MemoryStore:
        """The entries of the memory."""

    @property
    def search(self) -> SearchIndex:
        """The index of full text, which is one for the whole store."""

    @property
    def readings(self) -> Readings:
        """Reads for other threads, over connections of their own."""

    def later_check(self) -> LaterCheck | None:
        """The check of the whole store that is still to be made; None: it was made when the store was opened."""

    def close(self) -> None:
        """Close the store, then let another process become the writer. A second call does nothing."""
