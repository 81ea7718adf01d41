"""In which folder each command of a line runs, as far as `cd` lets it be known (gate-S12)."""

from desktop.policy.shell.read.proof import Folders, Proof, join

UNKNOWN: Folders = frozenset({None})
_MAX_FOLDERS = 8
_SEALED = frozenset({"git", "own", "secret"})


def entered(proof: Proof, text: str) -> Folders:
    """The folders that `cd` with this operand leads to; not known, and not proven, when it might lead elsewhere."""
    if not text or text.startswith("-"):
        proof.fail("cd", "This cd does not name a plain folder.", text)
        return UNKNOWN
    found: set[str | None] = set()
    for folder in ["."] if text.startswith("/") else proof.known_folders():
        path = join(folder, text)
        facts = proof.findings.resolve(path, "list")
        if facts is None:
            proof.fail("path", "It names too many paths.")
            return UNKNOWN
        proof.findings.name(facts, path, "list")
        closed = facts.verdict != "inside" or facts.ask or facts.deny or facts.class_ in _SEALED
        if closed or facts.kind != "dir" or facts.via_symlink or not proof.world.can_enter(facts.rel):
            proof.fail("cd", "This cd does not lead to an ordinary folder of the lane.", text)
            return UNKNOWN
        found.add(facts.rel)
    return frozenset(found) or UNKNOWN


class FolderTrack:
    """Follows the folder through the commands of a line. A `cd` that was proven cannot fail; what would run only if it
    did (`||`) runs in a folder that is not known."""

    def __init__(self, start: Folders) -> None:
        self._success = start
        self._failure = start
        self._pipeline = start
        self._cd_failed = False

    def before(self, operator: str) -> Folders:
        """The folders in which the command behind this operator may run."""
        if operator == "|":
            return self._pipeline
        if operator == "&&":
            start = self._success
        elif operator == "||":
            start = UNKNOWN if self._cd_failed else self._failure
        else:
            start = self._success | self._failure
            self._cd_failed = False
        self._pipeline = start
        return start

    def after(self, operator: str, start: Folders, end: Folders | None) -> None:
        """Notes how a command ended: `end` is where a `cd` led, None for every other command."""
        if operator == "|":
            return
        succeeded = start if end is None else end
        failed = start if end is None else frozenset[str | None]()
        if operator == "&&":
            failed |= self._failure
        elif operator == "||":
            succeeded |= self._success
        self._success, self._failure = _few(succeeded), _few(failed)
        self._cd_failed = (self._cd_failed and operator != ";") or end is not None


def _few(folders: Folders) -> Folders:
    return folders if len(folders) <= _MAX_FOLDERS else UNKNOWN
