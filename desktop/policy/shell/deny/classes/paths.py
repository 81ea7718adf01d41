"""The places to which paths of a line lead, judged by their text: normalised, without disk, against home, lane and
system folders."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import DenyPlaces, static, unmarked
from desktop.policy.shell.deny.reader.nodes import MAYBE, SOME

MAX_PATH = 4_096  # a longer one is refused by the kernel
_UNKNOWN_LANE = "/\x06/\x06\x06/\x06\x06\x06"
_TOP_NAMES = {
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "opt", "private", "proc", "root",
    "run", "sbin", "srv", "sys", "usr", "var", "system", "library", "applications", "users", "volumes", "cores", "nix",
    "snap",
}  # fmt: skip
_DEEP = {
    *(f"/usr/{name}" for name in ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share", "local", "include")),
    *(f"/usr/local/{name}" for name in ("bin", "sbin", "lib", "share", "etc", "include")),
    *(f"/var/{name}" for name in ("lib", "log", "cache", "spool", "mail", "www", "backups", "db", "run", "root")),
    "/system/library",
    "/library/application support",
    "/private/etc",
    "/private/var",
    "/c/windows",
    "/mnt/c/windows",
    "/mnt/c/users",
    "/var/lib/dpkg",
    "/var/lib/docker",
    "/var/lib/postgresql",
    "/var/lib/mysql",
    "/usr/lib/systemd",
}
_CHILDREN_COUNT = {"/home", "/users", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/mnt", "/media", "/volumes"}
_HOME_FOLDERS = {
    "documents",
    "desktop",
    "downloads",
    "pictures",
    "music",
    "movies",
    "videos",
    "library",
    "projects",
    ".config",
    ".local",
    ".local/share",
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".mozilla",
    ".thunderbird",
}
_GLOB = Pattern(r"[*?\[\x00\x01]")
_HOME_NAMES = Pattern(
    r"\A(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE|\$env:HOME)(?=[/\\]|\Z)", re.IGNORECASE
)
_USER_HOME = Pattern(r"\A~([A-Za-z_][\w.-]*)(?=/|\Z)")
_STEPS_UP = Pattern(r"(?:\./)*\.\./(?:\./)*\.\./([A-Za-z0-9]+)(?:/|\Z)")
_OPEN_FILE = Pattern(r"/proc/(?:self|\d+)/fd/")
_DRIVE = Pattern(r"\A([A-Za-z]):(?=[/\\]|\Z)")
_WILD_ONLY = Pattern(r"\A(?:[*?.\x00\x01!^]|\[[^\]]*\])+\Z")


def lane_root(places: DenyPlaces) -> str:
    """The lane root; a stand-in far from every real folder where it is unknown."""
    return folded(places.lane) if places.lane else _UNKNOWN_LANE


def start_folder(places: DenyPlaces) -> str:
    """The folder in which the line begins."""
    return absolute(places.cwd, lane_root(places), places)


@lru_cache(maxsize=1_024)
def folded(path: str) -> str:
    """An absolute path without empty parts, `.` and `..`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def absolute(path: str, folder: str, places: DenyPlaces) -> str:
    """The path as an absolute one, read from the folder. With no lane known, three steps up from it lead to the top."""
    return _absolute(path[:MAX_PATH], folder, places.home, bool(places.lane))


@lru_cache(maxsize=2_048)
def _absolute(path: str, folder: str, home: str, has_lane: bool) -> str:
    text = unmarked(path).strip()
    text = text.removeprefix("file://")
    if (drive := _DRIVE.match(text)) is not None:
        text = "/" + drive[1].lower() + text[2:].replace("\\", "/")
    if found := _HOME_NAMES.match(text):
        text = home + text[found.end() :].replace("\\", "/")
    elif user := _USER_HOME.match(text):
        text = ("/root" if user[1] == "root" else f"/home/{user[1]}") + text[user.end() :]
    if text.startswith("/"):
        return folded(text)
    rest = None if has_lane or folder != _UNKNOWN_LANE else _STEPS_UP.match(text)
    if rest and rest[1].lower() in _TOP_NAMES:
        return "/" + folded(text.split("../", 2)[2]).lstrip("/")
    return folded(f"{folder}/{text}")


def inside_lane(path: str, places: DenyPlaces) -> bool:
    """Whether an absolute path is the lane root or below it."""
    root = lane_root(places)
    return path == root or path.startswith(root + "/")


def is_home(path: str, places: DenyPlaces) -> bool:
    """Whether an absolute path is the home folder."""
    return path.casefold() == folded(places.home).casefold()


def is_vital(path: str, places: DenyPlaces, *, recursive: bool = True) -> bool:
    """Whether losing an absolute path, or all that its pattern stands for, is a disaster: `/`, home, a parent of the
    lane, a system folder, or one of their direct globs."""
    if "\x00" in path:
        emptied = folded(path.replace(MAYBE, ""))
        if path.strip("\x00/*.") == "" and is_vital(emptied, places, recursive=recursive):
            return True
    parent, _, name = path.rpartition("/")
    if _GLOB.search(path) and len(path) < 512:
        return _vital_pattern(path, parent or "/", name, places)
    return recursive and _vital_folder(path.casefold(), places)


def _vital_folder(path: str, places: DenyPlaces) -> bool:
    lane, home = lane_root(places).casefold(), folded(places.home).casefold()
    if path in {"/", home} or lane.startswith(path + "/") or home.startswith(path + "/"):
        return True
    if path == lane or path.startswith(lane + "/"):
        return False
    parent, _, name = path.rpartition("/")
    if not parent:
        return name != "tmp"
    if path.startswith(home + "/"):
        return path.removeprefix(home + "/") in _HOME_FOLDERS
    return path in _DEEP or (parent in _CHILDREN_COUNT and not path.startswith("/private/tmp"))


def _vital_pattern(path: str, parent: str, name: str, places: DenyPlaces) -> bool:
    lane, home = lane_root(places), folded(places.home)
    if _GLOB.search(parent):
        heads = path.split("/")[1:]
        if all(_WILD_ONLY.match(head) for head in heads if _GLOB.search(head)) and _GLOB.search(heads[0]):
            return True
        return fnmatchcase(home, path) or any(fnmatchcase(upper, path) for upper in _parents(lane))
    if parent == "/":
        return not fnmatchcase("tmp", name) or bool(_WILD_ONLY.match(name))
    if parent == lane or parent.startswith(lane + "/"):
        return False
    folder = parent.casefold()
    if is_home(parent, places) or lane.startswith(parent + "/") or home.startswith(parent + "/"):
        return bool(_WILD_ONLY.match(name)) and (name != SOME or not is_home(parent, places))
    if folder.count("/") == 1:
        return folder[1:] != "tmp"
    return bool(_WILD_ONLY.match(name)) and _vital_folder(folder, places)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]


def is_block_device(path: str) -> bool:
    """Whether an absolute path is a device that holds data, or may be one."""
    lowered = path.casefold()
    if not lowered.startswith("/dev/"):
        return False
    return not _HARMLESS_DEVICE.match(static(lowered))


_HARMLESS_DEVICE = Pattern(
    r"\A/dev/(?:null|zero|full|u?random|tty\w*|std(?:in|out|err)|fd(?:/.*)?|pts/.*|ptmx|shm/.*|console|dsp\w*|snd/.*"
    r"|video\d+|input/.*|cu\..*|tcp/.*|udp/.*|log|kmsg|)\Z"
)


def is_kernel_file(path: str) -> bool:
    """Whether writing to an absolute path changes the running system: below `/proc` or `/sys`."""
    lowered = path.casefold()
    return lowered.startswith(("/proc/", "/sys/")) and not _OPEN_FILE.match(lowered)
