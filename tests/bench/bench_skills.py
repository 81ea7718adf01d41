"""What many skills and agents cost at the beginning of a turn: `python -m tests.bench.bench_skills [SKILLS AGENTS]`.

A person's accepted skills of three files each, and agents from files, of which nothing changed since the last look; the
same at the first look; and the catalogue as text. Times in ms, the median and the worst of the runs,
and the processor time, which alone counts on a machine that does other things too.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.agent.skills.agents import AgentBook
from desktop.agent.skills.book import SkillBook
from desktop.agent.skills.catalogue import catalogue
from desktop.agent.skills.chats import listed
from desktop.agent.skills.shelf import SkillShelf
from desktop.domain.core.clock import utc_now
from desktop.domain.skills.packages import Package, PackageFile
from desktop.store.gate.trust import ContentTrust

SKILLS, AGENTS, RUNS = 200, 50, 40


def timed(name: str, work: Callable[[], object], runs: int = RUNS) -> None:
    """Run it and say how long it took."""
    took: list[float] = []
    worked: list[float] = []
    for _ in range(runs):
        begun, at = time.perf_counter(), time.thread_time()
        work()
        took.append((time.perf_counter() - begun) * 1000)
        worked.append((time.thread_time() - at) * 1000)
    median = statistics.median
    print(f"{name}: {median(took):.1f} ms, at most {max(took):.1f}; of the processor {median(worked):.1f} ms")


def main(skills: int, agents: int) -> None:
    """Make them and measure."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        shelf = SkillShelf(home / "data", utc_now)
        for number in range(skills):
            name = f"skill-{number}"
            text = (
                f"---\nname: {name}\ndescription: How task {number} is done here, in some words\n---\n{'Do. ' * 300}\n"
            )
            files = {"SKILL.md": text, "scripts/go.sh": "#!/bin/sh\n", "more.md": "More."}
            package = Package(PackageFile(path, False, content.encode()) for path, content in files.items())
            shelf.install(name, package, source="bench")
        (home / "config" / "agents").mkdir(parents=True)
        for number in range(agents):
            text = f"---\nname: agent-{number}\ndescription: Looks\ntools: Read, Grep\n---\n{'Look. ' * 100}\n"
            (home / "config" / "agents" / f"agent-{number}.md").write_text(text)
        trust = ContentTrust(home / "data", "skills")
        book, found = SkillBook(shelf, trust), AgentBook(home / "config", trust)
        timed(f"{skills} skills, first look", lambda: book.booked("prj", None), runs=1)
        timed(f"{skills} skills, unchanged", lambda: book.booked("prj", None))
        known = listed(book.booked("prj", None))
        timed(f"catalogue of {len(known)}, as text", lambda: catalogue(known))
        timed(f"{agents} agents, first look", lambda: found.booked("prj", None), runs=1)
        timed(f"{agents} agents, unchanged", lambda: found.booked("prj", None))
        empty = SkillBook(SkillShelf(home / "none", utc_now), trust)
        timed("no skills at all, with a lane", lambda: empty.is_empty(home))


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    main(*(given if len(given) == 2 else (SKILLS, AGENTS)))
