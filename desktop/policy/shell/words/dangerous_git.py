"""Options of Git and of its sub-commands that make it run something else or act elsewhere (gate-R12)."""

from desktop.policy.shell.words.option_row import OptionRow

GIT = OptionRow(
    short="cCpOx",
    long=(
        "--exec-path",
        "--git-dir",
        "--work-tree",
        "--config-env",
        "--output*",
        "--ext-diff",
        "--textconv",
        "--open-files-in-pager",
        "--exec",
        "--extcmd",
        "--upload-pack",
        "--receive-pack",
        "--upload-archive",
        "--no-verify",
        "--template",
        "--separate-git-dir",
        "--super-prefix",
        "--namespace",
        "--unsafe-paths",
        "--smtp-server*",
        "--sendmail-cmd",
        "--to-cmd",
        "--cc-cmd",
        "--header-cmd",
        "--show-signature",
    ),
    harmless=("--text", "--name", "--no"),
    first_letters=("ext::", "fd::"),
)
GIT_SHORT = {
    "commit": "n",
    "push": "fd",
    "clone": "u",
    "archive": "o",
    "format-patch": "o",
    "difftool": "t",
    "mergetool": "t",
    "branch": "dDMf",
    "tag": "df",
    "checkout": "fB",
    "switch": "f",
    "clean": "f",
    "worktree": "f",
    "mv": "f",
}
GIT_OWN = {"switch": "c"}
"""Letters that mean something harmless behind a sub-command."""
GIT_LONG = {
    "push": ("--force*", "--mirror", "--delete", "--prune"),
    "reset": ("--hard",),
    "clean": ("--force",),
    "branch": ("--delete", "--force"),
    "tag": ("--delete", "--force"),
    "checkout": ("--force",),
    "switch": ("--force", "--discard-changes", "--force-create"),
    "worktree": ("--force",),
    "mv": ("--force",),
    "cat-file": ("--filters",),
    "archive": ("--remote",),
}
GIT_VALUED = {
    "commit": "mF",
    "tag": "mF",
    "merge": "m",
    "stash": "m",
    "log": "SGLUn",
    "show": "SGLU",
    "diff": "SGU",
    "notes": "m",
    "blame": "L",
}
