"""Launch: how a command is started under guard, and the frame around it that tells its end and ends what it left.

The frame is the process beside the command that outlives the command's shell. It gets two descriptors: one for the
command's output, one to talk on. It reports the shell's end (`3`, or `exit 3`, `signal 9`; `3 alone` when nothing of
the command runs any more), goes on while anything that the command started runs, and ends all of it when the other side
of the second descriptor is closed.
"""

import os
import socket
import sys
from collections.abc import Iterable
from pathlib import Path

from desktop.records import dataclass
from desktop.services.processes.sandbox.limits import MAX_FILE_SIZE, MAX_OPEN_FILES, MAX_PROCESSES
from desktop.services.processes.sandbox.profile import SandboxProfile

MAX_ERROR_BYTES = 8_192
MAX_GIVEN_BYTES = 8_192

FRAME_NAME = "banksman-frame"
READY, ALONE = "ready", "alone"
# Runs inside bubblewrap, where nothing but bash is sure to be there. Constant text; all that varies is an argument.
# With `later` the last word of the command comes over the descriptor, up to a NUL; when that is closed before, nothing
# runs. The last line goes on until this shell is alone in its process namespace or the app closes the descriptor.
FRAME_SCRIPT = f"""\
out=$1 ctl=$2 later=$3; shift 3
{{ ulimit -c 0; ulimit -f {MAX_FILE_SIZE // 1024}; ulimit -n {MAX_OPEN_FILES}; ulimit -u {MAX_PROCESSES}; }} 2>/dev/null
trap : TERM HUP INT
(
if [[ $later ]]; then
  printf '{READY}\\n' >&"$ctl"
  IFS= read -rd '' -u "$ctl" || exit
  set -- "$@" "$REPLY"
fi
exec 1>&"$out" 2>&1 {{out}}>&- {{ctl}}>&-; exec "$@" )
status=$?
exec {{out}}>&-
kill -0 -1 2>/dev/null && set -- || set -- {ALONE}
printf '%s\\n' "$status $*" >&"$ctl"
wait=0.02
while kill -0 -1 2>/dev/null; do read -rt "$wait" -u "$ctl" _; (( $? > 128 )) || break; wait=0.25; done
"""


@dataclass(frozen=True)
class FrameFds:
    """Descriptors that a frame inherits: where the command's output goes, where the frame reports, and the system call
    filter for bubblewrap (-1: none)."""

    output: int
    control: int
    filter: int = -1


class FrameEnds:
    """The pipes of one frame. `output` and `errors` are read here, `control` is talked on; `fds` go to the frame.

    Use `release` once the frame was started, and `close` in the end.
    """

    def __init__(self, filter_program: bytes = b"") -> None:
        self.output, output_end = os.pipe()
        self.errors, self.errors_end = os.pipe()
        self.control, self._control_end = socket.socketpair()
        self.control.setblocking(False)
        os.set_blocking(self.errors, False)
        self.fds = FrameFds(output_end, self._control_end.fileno(), _memory_file(filter_program))
        self._theirs = [output_end, self.errors_end, *([self.fds.filter] if self.fds.filter >= 0 else [])]
        self._ours = [self.output, self.errors]

    @property
    def inherited(self) -> tuple[int, ...]:
        """The descriptors that the starting call must pass on."""
        return tuple(fd for fd in (self.fds.output, self.fds.control, self.fds.filter) if fd >= 0)

    def release(self) -> None:
        """Close the frame's ends here."""
        while self._theirs:
            os.close(self._theirs.pop())
        self._control_end.close()

    def take_output(self) -> int:
        """The reading end of the output, which the caller closes from now on."""
        self._ours.remove(self.output)
        return self.output

    def give(self, word: str) -> bool:
        """Hand the last word of its command to a frame that waits for it. False: it did not get all of it, and runs
        nothing once this is closed; a long word is not sent at all, as bash reads it byte by byte."""
        words = word.encode("utf-8", "surrogateescape") + b"\0"
        try:
            fits = len(words) <= MAX_GIVEN_BYTES and words.count(b"\0") == 1
            return fits and self.control.send(words) == len(words)
        except OSError:
            return False

    def told_status(self) -> int | None:
        """How the shell of a frame that has ended came to its end, as a shell tells it; None when it did not say so."""
        try:
            words = self.control.recv(MAX_GIVEN_BYTES).split()
        except OSError:
            return None
        told = [word for word in words if word.isdigit()]
        by_signal = words[:1] == [b"signal"]
        return int(told[0]) + (128 if by_signal else 0) if told else None

    def error_text(self) -> str:
        """The error output of the frame itself, not of the command, so far."""
        try:
            return os.read(self.errors, MAX_ERROR_BYTES).decode("utf-8", "replace").strip()
        except OSError:
            return ""

    def close(self) -> None:
        """Close all that is left. A frame that still runs ends what is in it."""
        self.release()
        while self._ours:
            os.close(self._ours.pop())
        self.control.close()


@dataclass(frozen=True)
class Launch:
    """The start of a command: the whole argument list, the environment, and the sandbox around it.

    `ends`: the pipes of the frame; None: `argv` is the command itself without a frame. `private`: folders in memory
    that are this command's own. `contained`: all of it ends with its first process.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    profile: SandboxProfile
    ends: FrameEnds | None = None
    private: tuple[Path, ...] = ()
    contained: bool = False


def frame_argv(bash: str, fds: FrameFds, command: Iterable[str], *, later: bool) -> tuple[str, ...]:
    """The words of a frame in bubblewrap. `later`: the last word of the command comes once it is ready."""
    shell = (bash, "--noprofile", "--norc", "-c", FRAME_SCRIPT, FRAME_NAME)
    return (*shell, str(fds.output), str(fds.control), "later" if later else "", *command)


def shell_argv(bash: str, command: str) -> tuple[str, ...]:
    """bash with exactly the approved text (gate-S18)."""
    return (bash, "--noprofile", "--norc", "-c", "--", command)


def _memory_file(content: bytes) -> int:
    if not content or sys.platform != "linux":
        return -1
    file = os.memfd_create("filter", os.MFD_CLOEXEC)
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file
