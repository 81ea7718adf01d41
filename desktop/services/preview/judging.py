"""How each path of an effect is judged, whatever command wrote it."""

from desktop.policy.paths import PathFacts, WalkFacts, assess_path, screen_path
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.restore import folders_above
from desktop.services.preview.showing import Goals


def judged(files: LaneFiles, path: str, goals: Goals) -> PathFacts:
    """How writing this path is judged. Where a file goes and a folder of its name comes, or the other way round, what
    stands there now does not matter: the name alone does."""
    facts = files.resolve(path, "write")
    makes_way = any(goals.get(folder, ()) is None for folder in folders_above(path))
    makes_way |= facts.kind == "dir" and any(one.startswith(f"{path}/") for one in goals)
    if not makes_way or screen_path(path, "write", windows=False) is not None:
        return facts
    return assess_path(path, "write", WalkFacts(rel=path, names=(tuple(path.split("/")),)))


def protected(files: LaneFiles, path: str, goals: Goals) -> str:
    """Why a person is asked about this name whatever writes it, "" where they are not."""
    facts = judged(files, path, goals)
    if not facts.deny and not facts.ask:
        return ""
    return f"{path} is {facts.verdict}: {facts.reason or 'it cannot be written'}."
