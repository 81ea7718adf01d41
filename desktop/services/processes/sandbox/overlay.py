"""Shows a command a folder at its own path with every write caught elsewhere, then becomes the command.

A program of its own, standard library only, because it starts before the sandbox. Arguments: `lane=FOLDER upper=FOLDER
work=FOLDER -- COMMAND…`. In a user namespace of its own the person is root, who alone may mount; a second one makes
them themselves again, so the sandbox finds the same person as without. Folders are handed to the kernel by their
descriptors, so no letter of a path can be taken for an option. What fails runs nothing.
"""

# pathlib would double the time that this takes to start.
# ruff: noqa: PTH109

import ctypes
import errno
import os
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 0x4000, 1 << 18
FAILED = 125
FAILED_WORDS = "banksman-overlay failed: "

libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> int:
    """Become the command; returns only when something failed."""
    try:
        end = arguments.index("--")
        folders = dict(setting.split("=", 1) for setting in arguments[:end])
        become(folders["lane"], folders["upper"], folders["work"], arguments[end + 1 :])
    except (OSError, KeyError, ValueError) as error:
        os.write(2, f"{FAILED_WORDS}{error}\n".encode("utf-8", "replace"))
    return FAILED


def become(lane: str, upper: str, work: str, command: list[str]) -> None:
    """Lay `upper` over `lane` and run the command. Raises OSError."""
    here, user, group = os.getcwd(), os.getuid(), os.getgid()
    enter(CLONE_NEWUSER | CLONE_NEWNS, (0, user), (0, group))
    checked(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "making mounts private")
    opened = [os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) for folder in (lane, upper, work)]
    below, above, beside = (f"/proc/self/fd/{number}" for number in opened)
    options = f"lowerdir={below},upperdir={above},workdir={beside},userxattr"
    flags = MS_NOSUID | MS_NODEV
    checked(libc.mount(b"overlay", os.fsencode(lane), b"overlay", flags, options.encode()), "mounting the copy")
    if user != 0:
        enter(CLONE_NEWUSER, (user, 0), (group, 0))
    os.chdir(here)  # what was entered before lies below
    os.execv(command[0], command)  # noqa: S606


def enter(namespaces: int, user: tuple[int, int], group: tuple[int, int]) -> None:
    """New namespaces in which one user and one group are known, each as (inside, outside). Raises OSError."""
    checked(libc.unshare(namespaces), "making a namespace")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{user[0]} {user[1]} 1")
    write("/proc/self/gid_map", f"{group[0]} {group[1]} 1")


def write(file: str, text: str) -> None:
    """One short text into a file of the kernel."""
    opened = os.open(file, os.O_WRONLY)
    try:
        os.write(opened, text.encode("ascii"))
    finally:
        os.close(opened)


def checked(result: int, what: str) -> None:
    """Raises OSError with the kernel's reason for a negative result."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)} ({errno.errorcode.get(code, code)})")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
