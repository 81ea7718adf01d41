"""A lane with something to find outside of it, and what a command that runs in it reached that a read may not."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.policy.shell.read.tables import BUILTINS
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.shell_world import LaneWorld
from desktop.services.processes.around import READING_ENVIRONMENT
from desktop.services.processes.environment import child_environment
from desktop.services.processes.sandbox.bubblewrap import find_bubblewrap
from tests.agent.rig import git
from tests.policy.shell import watched_commands
from tests.policy.shell.program_options import OTHER_NAMES

Judge = Callable[[str, ShellWorld], ShellVerdict]

ARCHIVES = ("a.gz", "a.zip", "a.tar")
SECRETS = (".env", "credentials.json", "vault/server.pem")
FILES = {
    "a.txt": "alpha\nbeta\n", "b.txt": "beta\ngamma\n", "table.csv": "x,1\ny,2\n", "a.json": '{"a": [1, 2]}\n',
    "a.py": "import os\n", "b.py": "x = 1\n", "src/a.py": "foo = 1\n", "src/c.py": "foo()\n", "src/deep/d.py": "x\n",
    "README.md": "# foo\n", "setup.py": "x\n", "package.json": '{"a": 1}\n', "a": "alpha\n", "b": "beta\n",
    "tests/test_a.py": "x\n", "5": "five\n", "odd/-rf": "odd\n", "odd/@a": "odd\n", "lib/a.py": "x\n",
}  # fmt: skip
TEXT, WITNESS, SIZE, TIME = "OUTSIDE-TEXT", "unnamed-witness", 7_654_321, 549_903_600
SIGNS = (TEXT, "SECRET-TEXT", WITNESS, str(SIZE), "1987-06-05", "Jun  5  1987", str(TIME))
"""What only something outside, or a secret file, could have brought into an output."""
THREADS = {("fd",): 4, ("fdfind",): 4, ("git", "grep"): os.cpu_count() or 1, ("tar",): 1}
"""Calls that work with threads of their own even on one processor, or start what unpacks, and how many."""
REFRESHED = (".git/index (", ".git/index.lock (")
"""`git describe --dirty` notes in Git's own index when files were last looked at, whatever it is told. The sandbox of
the product keeps reads from it."""


@dataclass(frozen=True)
class Reached:
    """A command that was judged a read, and what it did that no read may."""

    line: str
    fault: str


class HostileLane:
    """A repository in `folder`, between files of others, and a sandbox in which commands run in it one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "lane"
        self.not_ended = 0
        for name in ("lane", "outside", "home", "temp", "programs"):
            (folder / name).mkdir()
        for name, text in FILES.items():
            self._write(f"lane/{name}", text)
        for name in SECRETS:
            self._write(f"lane/{name}", "SECRET-TEXT\n")
        self._plant_archives()
        self._plant_outside()
        (self.root / "to-file").symlink_to(folder / "outside" / "canary.txt")
        (self.root / "to-folder").symlink_to("../outside")
        (self.root / "inner").symlink_to("src")
        git(self.root, "init", "-q")
        git(self.root, "add", *FILES)
        git(self.root, "commit", "-qm", "first")
        self._environment = self._made_environment()
        self.world = LaneWorld(LaneFiles(self.root), environment=self._environment)

    def _write(self, name: str, text: str) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def _plant_archives(self) -> None:
        (self.root / "a.gz").write_bytes(gzip.compress(b"alpha\n"))
        with zipfile.ZipFile(self.root / "a.zip", "w") as packed:
            packed.write(self.root / "a.txt", "a.txt")
        with tarfile.open(self.root / "a.tar", "w") as archive:
            archive.add(self.root / "a.txt", "a.txt")

    def _plant_outside(self) -> None:
        for name in ("canary.txt", "canary.json", WITNESS):
            self._write(f"outside/{name}", f'"{TEXT}"\n')
        self._write("outside/list0", "a.txt\0")
        self._write("outside/options", "-a\n")
        self._write("outside/script", "p\n")
        for file in (self.folder / "outside").iterdir():
            os.truncate(file, SIZE if file.name == "canary.txt" else file.stat().st_size)
            os.utime(file, (TIME, TIME))

    def _made_environment(self) -> dict[str, str]:
        """What a proven read gets; programs that Debian has under another name are found under their own as well."""
        programs = self.folder / "programs"
        for name, other in OTHER_NAMES.items():
            place = shutil.which(other)
            if shutil.which(name) is None and place is not None:
                (programs / name).symlink_to(place)
        source = {**os.environ, "HOME": str(self.folder / "home"), "PATH": f"{os.environ['PATH']}:{programs}"}
        return {
            **child_environment(source, temp_folder=self.folder / "temp", lane_root=self.root),
            **READING_ENVIRONMENT,
        }

    def run(self, lines: Iterable[tuple[str, ShellVerdict]]) -> Iterator[Reached]:
        """Runs lines that were judged reads, in order; what any of them did that no read may."""
        driver = subprocess.Popen(
            self._sandbox(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.root,
            env=self._environment,
            text=True,
        )
        assert driver.stdin is not None
        assert driver.stdout is not None
        with driver:
            for line, verdict in lines:
                driver.stdin.write(json.dumps(started(line, verdict)) + "\n")
                driver.stdin.flush()
                told = json.loads(driver.stdout.readline())
                self.not_ended += not told.get("ended", True)
                yield from (Reached(line, fault) for fault in self._faults(told, line, verdict))
            driver.stdin.close()
        assert driver.returncode == 0

    def _sandbox(self) -> list[str]:
        """Nothing can be written but the files that are watched, and there is no network."""
        python = os.path.realpath(sys.executable)
        place = ["--bind", str(self.folder), str(self.folder), "--chdir", str(self.root)]
        return [*_bounds(), *place, "--", python, "-I", watched_commands.__file__, str(self.folder)]

    def _faults(self, told: dict[str, object], line: str, verdict: ShellVerdict) -> Iterator[str]:
        if "failed" in told:
            return
        secrets = {str(self.root / name) for name in SECRETS}
        temporary = f"{self.folder / 'temp'}/"
        for place in _texts(told["opened"]):
            if place.startswith(temporary) or place == str(self.folder / "programs"):
                continue
            if place != str(self.root) and not place.startswith(f"{self.root}/"):
                yield f"opened {place}"
            elif place in secrets:
                yield f"opened {place}, which usually holds secrets"
        argv = verdict.simple[0].argv if verdict.simple else ("",)
        asks_version = argv[1:] in (("--version",), ("-v",), ("-V",))
        allowed = (temporary, *(f"{self.root}/{name}" for name in REFRESHED if "describe" in argv))
        allowed += (f"{self.folder / 'home'}/",) if asks_version else ()
        if changed := [change for change in _texts(told["changed"]) if not change.startswith(allowed)]:
            yield f"changed {', '.join(changed)}"
        if told["network"]:
            yield "asked for something on the network"
        plain = len(verdict.simple) == 1 and started(line, verdict)[0] != "bash" and not asks_version
        if plain and int(str(told["more_processes"])) > _more_allowed(argv):
            yield f"made {told['more_processes']} more processes"
        output = str(told["output"])
        yield from (f"printed {sign}" for sign in SIGNS if sign in output and sign not in line)


def _more_allowed(argv: Sequence[str]) -> int:
    """How many processes and threads a call may make; find starts the reader that it names for every file."""
    if argv[0] == "find" and "-exec" in argv:
        return len(FILES) + len(ARCHIVES)
    return max(THREADS.get(tuple(argv[:1]), 0), THREADS.get(tuple(argv[:2]), 0))


def _bounds() -> list[str]:
    wrap = find_bubblewrap()
    bounds = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    return [wrap.binary if wrap else "bwrap", *bounds]


def sandbox_works() -> bool:
    """Whether programs can be started in a bubblewrap here."""
    return shutil.which("bwrap") is not None and subprocess.run([*_bounds(), "true"], check=False).returncode == 0


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(one) for one in value]


def started(line: str, verdict: ShellVerdict) -> list[str]:
    """The words that run a line: its own where it is one plain program, else those of bash as the product starts it."""
    plain = len(verdict.simple) == 1 and not any(word.special for word in verdict.simple[0].words)
    argv = verdict.simple[0].argv if plain else ()
    if argv and argv[0] not in BUILTINS and not set("<>&|;\n#") & set(line):
        return list(argv)
    return ["bash", "--noprofile", "--norc", "-c", "--", line]
