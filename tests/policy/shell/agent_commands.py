"""Commands that agents really issued, in the order of public transcripts, and how many harmless ones run unasked.

`tests/cases/agent_commands.json`: `source` is the kind of transcript, with the repository's root written as /lane;
bodies of here-documents are left out. `half`: grammars were widened with `tuned` in view, never with `held_out`.
`kind`, judged by hand: `read` has no effect and stays in the lane; `outside` reads elsewhere; `more` writes, runs
code or uses the network. `unasked`: whether it runs without a question.
"""

from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from desktop.policy.paths import PathFacts, PathOp
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld

LANE = "/lane"
_FILE = Path(__file__).parents[2] / "cases" / "agent_commands.json"


class Issued(BaseModel):
    """One command of the list."""

    text: str
    source: str
    half: str
    kind: str
    harmless: bool
    unasked: bool

    @property
    def runs(self) -> bool:
        """Whether the gate proves it now."""
        return assess_shell(self.text, Lane(lane=LANE)).proven_read


class Lane(TextWorld):
    """A lane of which only the root is known."""

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        below = path == self.lane or path.startswith(f"{self.lane}/")
        return super().resolve(path[len(self.lane) + 1 :] or "." if below else path, op)


ISSUED = TypeAdapter(list[Issued]).validate_json(_FILE.read_text("utf-8"))


def share(half: str = "", source: str = "") -> float:
    """Of the harmless commands of a half or source, all without, the share that runs unasked."""
    asked = [
        issued.runs
        for issued in ISSUED
        if issued.harmless and half in ("", issued.half) and source in ("", issued.source)
    ]
    return sum(asked) / len(asked)
