"""The system call filter: a classic BPF program, built here as bytes, for x86-64 and aarch64."""

import platform
import struct

EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
CLONE_NAMESPACES = 0x7E020000
TERMINAL_INPUT, TERMINAL_CONSOLE = 0x5412, 0x541C
X32_BIT = 0x40000000
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16

# name: (x86-64, aarch64), from the kernel's tables; numbers from 424 on are the same on both.
_ALWAYS = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "bpf": (321, 280), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "open_by_handle_at": (304, 265), "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60),
    "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112), "syslog": (103, 116),
    "sethostname": (170, 161), "setdomainname": (171, 162), "kcmp": (312, 272), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "quotactl_fd": (443, 443), "open_tree_attr": (467, 467),
}  # fmt: skip
_TRACING = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
}
_PORTS = {"iopl": 172, "ioperm": 173}
_CLONE, _CLONE3, _SOCKET, _IOCTL = (56, 220), (435, 435), (41, 198), (16, 29)
_ARCHITECTURES = {
    "x86_64": (0xC000003E, 0),
    "amd64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "arm64": (0xC00000B7, 1),
}


def filter_known(machine: str = "") -> bool:
    """Whether there is a table of system calls for this machine."""
    return (machine or platform.machine()).lower() in _ARCHITECTURES


def build_filter(families: tuple[int, ...] | None, *, tracing: bool, machine: str = "") -> bytes:
    """A filter that lets every system call pass but mounts, namespaces, kernel keys, BPF, io_uring and their like.

    `families`: the address families a socket may have, None: any but raw packets and virtual machine sockets are
    decided elsewhere. `tracing`: whether debuggers work. "" as `machine`: this one.

    Raises:
        KeyError: there is no table for the machine (ask `filter_known` first).
    """
    architecture, column = _ARCHITECTURES[(machine or platform.machine()).lower()]
    program = [
        _load(_ARCH_AT),
        *_unless(_JUMP_EQUAL, architecture, EPERM),
        _load(_NUMBER_AT),
    ]
    if column == 0:
        program += _when(_JUMP_AT_LEAST, X32_BIT, EPERM)
        for number in _PORTS.values():
            program += _when(_JUMP_EQUAL, number, EPERM)
    denied = _ALWAYS if tracing else {**_ALWAYS, **_TRACING}
    for numbers in denied.values():
        program += _when(_JUMP_EQUAL, numbers[column], EPERM)
    program += _when(_JUMP_EQUAL, _CLONE3[column], ENOSYS)
    program += _on_argument(_CLONE[column], 0, _when(_JUMP_SET, CLONE_NAMESPACES, EPERM))
    terminal = _when(_JUMP_EQUAL, TERMINAL_INPUT, EPERM) + _when(_JUMP_EQUAL, TERMINAL_CONSOLE, EPERM)
    program += _on_argument(_IOCTL[column], 1, terminal)
    if families is not None:
        program += _on_argument(_SOCKET[column], 0, _only(families))
    program.append(_instruction(_RETURN, 0, 0, _ALLOW))
    return b"".join(program)


def _instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _refuse(error: int) -> bytes:
    return _instruction(_RETURN, 0, 0, _ERRNO | error)


def _when(jump: int, value: int, error: int) -> list[bytes]:
    return [_instruction(jump, 0, 1, value), _refuse(error)]


def _unless(jump: int, value: int, error: int) -> list[bytes]:
    return [_instruction(jump, 1, 0, value), _refuse(error)]


def _only(values: tuple[int, ...]) -> list[bytes]:
    """Refuses what is none of the values; past them it goes on behind the refusal."""
    left = len(values)
    checks = [_instruction(_JUMP_EQUAL, left - index, 0, value) for index, value in enumerate(values)]
    return [*checks, _refuse(EAFNOSUPPORT)]


def _on_argument(number: int, index: int, checks: list[bytes]) -> list[bytes]:
    """Checks over the low half of an argument, made for one system call only; the number is loaded again behind."""
    body = [_load(_ARGUMENTS_AT + 8 * index), *checks, _load(_NUMBER_AT)]
    return [_instruction(_JUMP_EQUAL, 0, len(body), number), *body]
