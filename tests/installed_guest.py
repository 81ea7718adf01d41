"""A scripted agent that a person installed: a program on their PATH, and a table of it in their `guests.toml`."""

import json
from pathlib import Path
from typing import Any

from desktop.config.folders import Folders
from desktop.services.guests.home import guest_home
from tests.agent.guest_rig import PROGRAM
from tests.guest_ground import written_program


class InstalledGuest:
    """`label` is what people read; `words`: more lines of its table."""

    def __init__(self, folders: Folders, tools: Path, guest_id: str = "mine", label: str = "Mine") -> None:
        self.id, self.label, self.program = guest_id, label, tools / f"{guest_id}-acp"
        self._folders, self._queue = folders, guest_home(folders.data, guest_id) / "queue.jsonl"
        self.words = ""

    def describe(self, **more: Any) -> None:
        """Write the person's table; `more`: of the script."""
        script = json.dumps({**more, "prompts": [], "queue": str(self._queue)})
        self._folders.config.mkdir(parents=True, exist_ok=True)
        table = f"""[[guest]]
id = "{self.id}"
label = "{self.label}"
programs = ["{self.program.name}"]
args = [{json.dumps(script)}]
install = "npm install -g {self.id}-acp"
{self.words}"""
        with (self._folders.config / "guests.toml").open("a", encoding="utf-8") as file:
            file.write(table)
        self._queue.touch()

    def install(self) -> None:
        """Put its program on the PATH."""
        written_program(self.program.parent, self.program.name, PROGRAM)

    def plays(self, *steps: dict[str, Any]) -> None:
        """What it does at its next prompt."""
        with self._queue.open("a", encoding="utf-8") as file:
            file.write(json.dumps(list(steps)) + "\n")
