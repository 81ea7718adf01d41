"""Summary: how a run ended, as the last JSON line and as lines for people."""

from collections.abc import Iterator
from pathlib import Path

from desktop.cli.headless.outlets import Line
from desktop.cli.headless.statuses import DONE, INTERRUPTED, START_FAILED, WORDS
from desktop.domain.core.usage import Usage
from desktop.records import dataclass

MICRO = 1_000_000


@dataclass
class Summary:
    """What is known of a run by now. `begun`: its turn was. `detail`: why it is not completed, as a sentence. `lane`:
    its folder, "" for none. Counts of files are None where nobody counted, `cost_microusd` where it is not known.
    `calls`: how many were made; `declined` of them were not allowed, `unanswered` because nobody could answer.
    `report`: what the agent says it did."""

    session_id: str = ""
    mode: str = ""
    sandbox: str | None = None
    begun: bool = False
    detail: str = ""
    model: str = ""
    lane: str = ""
    branch: str = ""
    head: str = ""
    files_changed: int | None = None
    added: int | None = None
    removed: int | None = None
    usage: Usage = Usage()
    cost_microusd: int | None = 0
    steps: int = 0
    duration_ms: int = 0
    calls: int = 0
    declined: int = 0
    unanswered: int = 0
    open_todos: int = 0
    report: Line | None = None

    def ended(self, exit_status: int) -> Line:
        """The fields of the last line."""
        return {
            "status": WORDS[exit_status],
            "exit_status": exit_status,
            "detail": self.detail,
            "session_id": self.session_id,
            "lane": self.lane,
            "branch": self.branch,
            "head": self.head,
            "files_changed": self.files_changed,
            "added": self.added,
            "removed": self.removed,
            "usage": self.usage.model_dump(mode="json"),
            "cost_microusd": self.cost_microusd,
            "steps": self.steps,
            "duration_ms": self.duration_ms,
            "declined": self.declined,
            "unanswered": self.unanswered,
            "open_todos": self.open_todos,
            "report": self.report,
        }

    def sentences(self, exit_status: int) -> Iterator[str]:
        """The lines for people; none where no turn was begun."""
        if not self.begun or exit_status == START_FAILED:
            return
        word = {DONE: "Done", INTERRUPTED: "Stopped"}.get(exit_status, f"Ended ({WORDS[exit_status]})")
        yield f"{word} after {_count(self.steps, 'request')} in {self.duration_ms / 1000:.0f} s. {self._cost()}"
        if self.declined:
            nobody = f", {self.unanswered} of them because nobody could answer" if self.unanswered else ""
            yield f"{_count(self.declined, 'call was', 'calls were')} declined{nobody}."
        if self.open_todos:
            yield f"{_count(self.open_todos, 'item')} of its todo list {'is' if self.open_todos == 1 else 'are'} open."
        if self.files_changed:
            yield f"{_count(self.files_changed, 'file')} changed (+{self.added} -{self.removed}) in {Path(self.lane)}"
        if self.lane:
            yield f'To go on: banksman run --resume {self.session_id} "…"'

    def _cost(self) -> str:
        used = self.usage
        tokens = f"{used.total_input:,} tokens in, {used.output or 0:,} out"
        if used.output is None and self.steps:
            return "What it cost is not known: the service did not say how many tokens it used."
        if self.cost_microusd is None:
            return f"What it cost is not known, because {self.model or 'the model'} has no price: {tokens}."
        return f"Cost: ${self.cost_microusd / MICRO:.4f} ({tokens})."


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
