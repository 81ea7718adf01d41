"""OptionRow: options by which a program acts elsewhere or runs other code; EVERYWHERE: those of all (gate-R12)."""

from desktop.domain.core.base import Frozen


class OptionRow(Frozen):
    """The dangerous options of one program.

    `short`: letters, also inside a cluster. `long`: names with their dashes; one that ends in `*` stands for all that
    begin so; every abbreviation of a name is meant too. `single`: one dash and a whole name (`-exec`), two dashes mean
    the same. `valued`: letters whose value may be attached, so the rest of a cluster is no option. `harmless`: real
    options that look like an abbreviation. `any_dashes`: the number of dashes means nothing. `first_letters`:
    beginnings of words that are not options. `targets`: further words name targets or set variables. `bare_cluster`:
    the first word is a cluster without a dash. `exact`: it knows no abbreviations. `before_dashes`: letters of `short`
    that mean something else behind `--`, where the words are for another program. `remote`: a word with a colon before
    its first slash names another machine.
    """

    short: str = ""
    long: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    valued: str = ""
    harmless: tuple[str, ...] = ()
    any_dashes: bool = False
    first_letters: tuple[str, ...] = ()
    targets: bool = False
    bare_cluster: bool = False
    exact: bool = False
    before_dashes: str = ""
    remote: bool = False


_ANYWHERE = (
    "--exec*",
    "--eval*",
    "--pager",
    "--rsh",
    "--use-compress-program",
    "--to-command",
    "--script-shell",
    "--toolexec",
    "--python-executable",
    "--kubeconfig",
    "--endpoint-url",
    "--init-hook",
    "--load-plugins",
    "--load-extension",
    "--plugin-path",
    "--provider-path",
    "--post-renderer",
    "--ssh-command",
    "--proxy-command",
    "--shell-escape",
    "--run-under",
)
_ORDINARY = (
    "--page",
    "--script",
    "--use",
    "--run",
    "--load",
    "--python",
    "--plugin",
    "--proxy",
    "--shell",
    "--init",
    "--post",
    "--provider",
    "--endpoint",
)
EVERYWHERE = OptionRow(long=_ANYWHERE, harmless=(*_ORDINARY, *{name[:size] for name in _ANYWHERE for size in (3, 4)}))
"""What no program has under another meaning. Short beginnings of these names are other programs' own options."""
