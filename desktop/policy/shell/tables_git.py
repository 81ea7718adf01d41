"""Git sub-commands that only read, and the options with which they do (gate-S14)."""

from desktop.policy.shell.options import Row

_DIFF = (
    "-pusRwb -M: -C: --patch --stat: --numstat --shortstat --name-only --name-status -U: --word-diff: --color:"
    " --no-color --summary --check --diff-filter= --exit-code --quiet --no-ext-diff --no-textconv --merge-base"
)
_LOG = (
    f"{_DIFF} --oneline -n# --graph --decorate: --all --since= --until= --after= --before= --author= --grep= -i -S= -G="
    " --format: --pretty: --abbrev-commit --date= --reverse --follow --first-parent --merges --no-merges --max-count#"
    " -L="
)

GIT_GLOBAL_FLAGS = frozenset({"--no-pager", "-P", "--no-optional-locks"})
GIT_ROWS: dict[str, Row] = {
    "status": Row("-sbz --short --branch --porcelain: -u: --untracked-files: --ignored: --long", shows=False),
    "diff": Row(f"{_DIFF} --cached --staged"),
    "log": Row(_LOG, counts=True),
    "show": Row(_LOG, counts=True),
    "blame": Row("-weslt -C: -M: -L= --date= --porcelain"),
    "grep": Row("-nilcwEFP -e~ --heading --break", operands="pattern"),
    "ls-files": Row("-cmodisutvz --exclude-standard --others --cached --modified", shows=False),
    "ls-tree": Row("-rltz --name-only --full-tree", shows=False),
    "rev-parse": Row("-q --show-toplevel --abbrev-ref: --short: --git-dir --is-inside-work-tree --verify", shows=False),
    "rev-list": Row("-n# --count --max-count# --all", shows=False),
    "describe": Row("--tags --always --dirty: --long --abbrev:", shows=False),
    "branch": Row(
        "-arv --show-current --list --contains= --merged? --no-merged? --sort= --format=",
        shows=False,
    ),
    "tag": Row("-l --list -n: --contains= --sort=", shows=False),
    "remote": Row("-v", operands="none"),
    "remote get-url": Row(operands="text", most=1),
    "stash list": Row("-p --stat:", operands="none"),
    "stash show": Row("-p --stat:"),
    "reflog": Row(_LOG, operands="none", counts=True),
    "reflog show": Row(_LOG, counts=True),
    "shortlog": Row("-sne", shows=False),
    "cat-file": Row("-ptse"),
    "merge-base": Row(shows=False),
    "name-rev": Row(shows=False),
    "for-each-ref": Row("--format= --sort= --count#", shows=False),
    "count-objects": Row("-vH", operands="none"),
    "check-ignore": Row("-vqn", shows=False),
    "worktree list": Row(operands="none"),
    "version": Row(operands="none"),
}
GIT_NESTED = frozenset({"remote", "stash", "reflog", "worktree"})
"""Sub-commands with sub-commands of their own."""
OPERANDS_WITH = {"branch": ("--list",), "tag": ("-l", "--list")}
"""Without one of these an operand is a name to be made."""
