"""D-disk: writing to or formatting devices, and writes below /proc and /sys."""

import re
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces
from desktop.policy.shell.deny.classes.paths import absolute, is_block_device, is_kernel_file
from desktop.policy.shell.deny.classes.writes import written_paths
from desktop.policy.shell.verdict import DenyHit

_FORMATS = Pattern(
    r"mkfs(?:\..+)?|mke2fs|mkdosfs|mkntfs|mkswap|mkreiserfs|mkudffs|newfs(?:_.+)?|wipefs|blkdiscard|cfdisk"
    r"|blkzone|mkisofs-dev"
    r"|pvcreate|pvremove|vgremove|vgreduce|lvremove|zpool-destroy|nwipe|dban|diskpart|sg_format|format-volume"
    r"|clear-disk"
    r"|initialize-disk|remove-partition|tune2fs-erase|e2label-erase|mkfs_.+|cryptsetup-reencrypt|fatlabel-erase"
)
_PARTITIONS = {
    "parted",
    "fdisk",
    "gdisk",
    "sgdisk",
    "sfdisk",
    "gpart",
    "addpart",
    "delpart",
    "resizepart",
    "gparted",
    "cgdisk",
}
_LISTING = {
    "-l",
    "--list",
    "print",
    "-p",
    "--print",
    "-s",
    "--version",
    "-V",
    "--help",
    "-h",
    "-x",
    "show",
    "status",
    "-d",
    "--dump",
    "-v",
    "--verify",
    "list",
}
_SUB_COMMANDS = {
    "diskutil": Pattern(
        r"erase\w*|partitiondisk|reformat|zerodisk|randomdisk|secureerase|apfs|deletecontainer|unmountdisk-force"
        r"|splitpartition"
        r"|mergepartitions|resizevolume|cs|corestorage|addpartition|deletevolume",
        re.IGNORECASE,
    ),
    "cryptsetup": Pattern(r"luksformat|erase|lukserase|reencrypt|format|lukskillslot|luksremovekey", re.IGNORECASE),
    "mdadm": Pattern(r"--zero-superblock|--create|-C|--remove|--fail|--stop|-S"),
    "zpool": Pattern(r"destroy|create|labelclear|offline|remove"),
    "zfs": Pattern(r"destroy|rollback"),
    "btrfs": Pattern(r"device|subvolume|delete"),
    "nvme": Pattern(r"format|sanitize|write-zeroes|delete-ns|dsm"),
    "hdparm": Pattern(r"--(?:security-\w+|trim-sector\w*|write-sector|dco-\w+|make-bad-sector|yes-i-know.*)"),
    "asr": Pattern(r"restore|--erase"),
    "cipher": Pattern(r"/w.*", re.IGNORECASE),
    "badblocks": Pattern(r"-\w*[wn]\w*"),
    "format": Pattern(r"[a-z]:|/fs.*|/q", re.IGNORECASE),
    "dmsetup": Pattern(r"remove\w*|wipe_table|create"),
    "sysctl": Pattern(r"kernel\.sysrq=.*|kernel\.panic=.*"),
    "losetup": Pattern(r"-D|--detach-all"),
    "lvm": Pattern(r"lvremove|vgremove|pvremove"),
    "mkfs": Pattern(r".*"),
    "gpart": Pattern(r"destroy|delete"),
}
_REASON = "It would overwrite or format a disk, or write to the running system."


def disk_hits(call: Call, places: DenyPlaces) -> list[DenyHit]:
    """Whether a call writes to a device, formats one, or writes below /proc or /sys."""
    if _formats(call) or any(_is_device(path, call, places) for path in written_paths(call)):
        return [call.hit("D-disk", _REASON)]
    return []


def _is_device(path: str, call: Call, places: DenyPlaces) -> bool:
    whole = absolute(path, call.folder, places)
    return is_block_device(whole) or is_kernel_file(whole) or "physicaldrive" in whole.casefold()


@lru_cache(maxsize=512)
def may_format(program: str) -> bool:
    """Whether some call of a program formats a disk."""
    known = program in _PARTITIONS or program in _SUB_COMMANDS or program == ANY
    return known or bool(_FORMATS.fullmatch(program))


def _formats(call: Call) -> bool:
    if not may_format(call.program):
        return False
    words = call.words
    if _FORMATS.fullmatch(call.program):
        return bool(words) and not {"--help", "--version", "-V"} & set(words)
    if call.program in _PARTITIONS:
        return bool(words) and (
            not set(words) & _LISTING or bool(set(words) & {"mklabel", "rm", "mkpart", "--zap-all", "-Z"})
        )
    if wanted := _SUB_COMMANDS.get(call.program):
        return any(wanted.fullmatch(word) for word in words)
    return call.program == ANY and any(word.startswith("of=/dev/") and is_block_device(word[3:]) for word in words)
