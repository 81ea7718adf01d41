"""Tables of programs that run other programs: shells, interpreters, wrappers, and options that take a command."""

SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "mksh", "ksh93", "pdksh", "fish", "ash", "csh", "tcsh", "rbash", "yash",
          "elvish", "nu", "xonsh", "hush"}  # fmt: skip
INTERPRETERS: dict[str, tuple[str, ...]] = {
    "python": ("-c",), "python2": ("-c",), "python3": ("-c",), "pypy": ("-c",), "pypy3": ("-c",),
    "perl": ("-e", "-E"), "ruby": ("-e",), "jruby": ("-e",), "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "nodejs": ("-e", "--eval", "-p", "--print"), "bun": ("-e", "--eval"), "deno": (), "php": ("-r", "-B", "-R"),
    "lua": ("-e",), "luajit": ("-e",), "osascript": ("-e",), "rscript": ("-e",), "julia": ("-e", "-E"),
    "pwsh": ("-c", "-command", "-Command"), "powershell": ("-c", "-command", "-Command"), "groovy": ("-e",),
    "swift": ("-e",), "tclsh": (), "guile": ("-c",), "elixir": ("-e",), "raku": ("-e",), "ghc": ("-e",),
}  # fmt: skip
AWKS = {"awk", "gawk", "mawk", "nawk"}
# wrapper → its options that take a value
PREFIXES: dict[str, frozenset[str]] = {
    "sudo": frozenset(["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
    "--host", "--prompt", "--chdir", "--chroot"]),
    "doas": frozenset(["-u", "-C", "-a"]), "gsudo": frozenset(["-u"]), "run0": frozenset(["-u"]),
    "pkexec": frozenset(["--user", "-u"]), "runas": frozenset(), "gosu": frozenset(), "su-exec": frozenset(),
    "nohup": frozenset(), "setsid": frozenset(), "command": frozenset(), "builtin": frozenset(),
    "exec": frozenset(["-a"]), "busybox": frozenset(), "toybox": frozenset(), "fakeroot": frozenset(["-l", "-s", "-i"]),
    "nice": frozenset(["-n", "--adjustment"]), "ionice": frozenset(["-c", "-n", "--class", "--classdata"]),
    "time": frozenset(["-f", "-o", "--format", "--output"]), "gtime": frozenset(["-f", "-o"]),
    "stdbuf": frozenset(["-i", "-o", "-e"]), "unbuffer": frozenset(), "chronic": frozenset(),
    "caffeinate": frozenset(["-t", "-w"]),
    "strace": frozenset(["-e", "-o", "-p", "-s", "-u", "-P", "-E", "-a", "-b", "-O", "-S", "-I", "-X"]),
    "ltrace": frozenset(["-e", "-o", "-p", "-s", "-u"]),
    "firejail": frozenset(), "torsocks": frozenset(), "proxychains": frozenset(["-f"]),
    "proxychains4": frozenset(["-f"]),
    "rlwrap": frozenset(["-f", "-H"]), "dbus-run-session": frozenset(), "xvfb-run": frozenset(["-n", "-s", "-e",
    "-f", "-w"]),
    "systemd-run": frozenset(["-u", "-p", "-E", "-M", "-H", "--unit", "--property", "--setenv", "--uid", "--gid",
    "--slice", "--on-calendar", "--on-active"]),
    "unshare": frozenset(["-S", "-G", "-R", "-w", "--root", "--wd"]), "nsenter": frozenset(["-t", "--target", "-S",
    "-G"]),
    "setarch": frozenset(), "linux64": frozenset(), "arch": frozenset(), "chpst": frozenset(["-u", "-U", "-b", "-d",
    "-e"]),
    "npx": frozenset(["-p", "--package"]), "bunx": frozenset(), "pipx": frozenset(), "uvx": frozenset(["--from",
    "--with"]),
    "coproc": frozenset(), "proot": frozenset(["-r", "-b", "-w"]), "entr": frozenset(), "then": frozenset(),
    "do": frozenset(),
    "bwrap": frozenset(), "doppler": frozenset(), "noglob": frozenset(), "nocorrect": frozenset(), "-": frozenset(),
    "dotenv": frozenset(["-e", "-f"]), "cross-env": frozenset(), "env-cmd": frozenset(["-f"]), "with-env": frozenset(),
    "xargs": frozenset(["-I", "-i", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "-J", "-R", "-S", "--replace",
    "--max-args", "--max-procs", "--delimiter", "--arg-file"]),
    "parallel": frozenset(["-j", "-I", "--jobs", "-N", "-a", "--joblog", "--results", "--colsep", "-d"]),
}  # fmt: skip
PREFIXES.update(
    {
        "valgrind": frozenset(), "bear": frozenset(["-o", "--output", "--config"]), "ccache": frozenset(),
        "sccache": frozenset(), "distcc": frozenset(), "icecc": frozenset(), "catchsegv": frozenset(),
        "sshpass": frozenset(["-p", "-f", "-d", "-P"]), "heaptrack": frozenset(["-o", "--output", "-p"]),
        "libtool": frozenset(), "scan-build": frozenset(["-o", "--use-cc", "--use-c++", "-enable-checker"]),
        "dbus-launch": frozenset(), "systemd-inhibit": frozenset(), "systemd-cat": frozenset(["-t", "-p"]),
        "ifne": frozenset(), "nocache": frozenset(), "trickle": frozenset(["-d", "-u", "-s"]),
        "fakechroot": frozenset(),
        "cgexec": frozenset(["-g"]), "optirun": frozenset(), "primusrun": frozenset(), "prime-run": frozenset(),
        "vglrun": frozenset(), "gamemoderun": frozenset(), "mangohud": frozenset(), "wine": frozenset(),
        "box64": frozenset(), "nvprof": frozenset(["-o"]), "mpirun": frozenset(["-n", "-np", "-c", "-H", "--host"]),
        "mpiexec": frozenset(["-n", "-np", "-host"]), "srun": frozenset(["-n", "-N", "-p", "-t", "-c"]),
        "cpulimit": frozenset(["-l", "--limit", "-p", "-e"]), "tsocks": frozenset(), "dtach": frozenset(),
        "datefudge": frozenset(), "xinit": frozenset(), "startx": frozenset(), "cage": frozenset(),
        "multitime": frozenset(["-n", "-s", "-i", "-o"]), "retry": frozenset(["-d", "-t"]), "nq": frozenset(),
        "minijail0": frozenset(["-u", "-g", "-c", "-S"]), "nsjail": frozenset(), "uftrace": frozenset(),
        "memusage": frozenset(["-p", "-d"]), "setuidgid": frozenset(), "torify": frozenset(), "setlock": frozenset(),
        "eatmydata": frozenset(), "dumb-init": frozenset(), "tini": frozenset(["-p", "-e"]), "catatonit": frozenset(),
        **{
            f"qemu-{arch}{ending}": frozenset(["-L", "-cpu", "-E", "-g", "-s", "-B", "-D", "-d"])
            for arch in (
                "aarch64", "arm", "armeb", "i386", "x86_64", "riscv64", "riscv32", "ppc", "ppc64", "ppc64le", "s390x",
                "mips", "mipsel", "mips64", "mips64el", "sparc", "sparc64", "m68k", "alpha", "hppa", "sh4",
                "loongarch64",
            )
            for ending in ("", "-static")
        },
    }
)  # fmt: skip
# wrappers with operands of their own before the command
AFTER_OPERANDS = {
    "perf": (1, frozenset(["-e", "-o", "-p", "-t", "-C", "-F", "-r", "-I", "-x", "-D", "-m", "--event", "--output"])),
    "faketime": (1, frozenset(["-p", "--exclude-monotonic"])), "kcov": (1, frozenset()),
    "gdbserver": (1, frozenset()),
    "rr": (1, frozenset(["-o", "-n", "-M"])), "nsys": (1, frozenset(["-o", "-t"])), "ncu": (0, frozenset(["-o"])),
    "timelimit": (0, frozenset(["-t", "-T", "-s", "-S"])), "s6-setuidgid": (1, frozenset()),
    "envdir": (1, frozenset()), "py-spy": (1, frozenset(["-o", "-f", "-r", "-d"])),
    "timeout": (1, frozenset(["-k", "-s", "--kill-after", "--signal"])), "gtimeout": (1, frozenset(["-k", "-s"])),
    "chroot": (1, frozenset()), "taskset": (1, frozenset()), "chrt": (1, frozenset(["-T", "-P", "-D"])),
    "flock": (1, frozenset(["-w", "-E", "--timeout"])), "direnv": (2, frozenset()), "runcon": (1, frozenset()),
    "numactl": (0, frozenset()), "ssh-agent": (0, frozenset(["-a", "-t"])), "softlimit": (0, frozenset()),
    "setpriv": (0, frozenset()), "capsh": (0, frozenset()), "start-stop-daemon": (0, frozenset()),
}  # fmt: skip
RUNNERS = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "bundle": ("exec",), "pdm": ("run",), "hatch": ("run",),
    "rye": ("run",), "conda": ("run",), "mise": ("exec", "x"), "asdf": ("exec",), "npm": ("exec", "x"), "op": ("run",),
    "pnpm": ("exec", "dlx", "node"), "yarn": ("exec", "dlx", "node"),
    "nix": ("shell", "develop", "run"), "rtx": ("exec",),
    "fnm": ("exec",), "nx": ("exec",), "lerna": ("exec",), "tox": ("exec",), "volta": ("run",), "nvm": ("exec",),
    "micromamba": ("run",), "dagger": ("run",), "rush": ("exec",), "nodenv": ("exec",), "goenv": ("exec",),
    "pixi": ("run",), "rbenv": ("exec",), "pyenv": ("exec",), "shx": ("rm", "mv", "chmod", "cp"),
}  # fmt: skip
TEXT_OPTIONS: dict[str, tuple[str, ...]] = {
    "su": ("-c", "--command"), "runuser": ("-c", "--command"), "script": ("-c", "--command"), "flock": ("-c",
    "--command"),
    "tar": ("--to-command", "--use-compress-program", "-I", "--rsh-command", "--info-script", "-F"), "man": ("-P",
    "--pager"),
    "bsdtar": ("--use-compress-program",), "zip": ("-TT", "--unzip-command"), "sort": ("--compress-program",),
    "rg": ("--pre",), "rsync": ("-e", "--rsh", "--rsync-path"), "nix-shell": ("--run", "--command"), "npm": ("-c",
    "--call"),
    "nix": ("-c", "--command"), "npx": ("-c", "--call"), "expect": ("-c",), "sg": ("-c",), "fzf": ("--preview",
    "--bind"),
    "gnome-terminal": ("-e", "--command"), "xterm": ("-e",), "konsole": ("-e",), "less": ("-o",), "git": ("-x",
    "--exec",
    "--extcmd", "--upload-pack", "--receive-pack", "--tree-filter", "--index-filter", "--msg-filter"), "ghci": ("-e",),
    "cmd": ("/c", "/C", "/k"), "docker": ("--entrypoint",), "mapfile": ("-C",), "readarray": ("-C",),
    "complete": ("-C",),
    "devbox": ("-c",), "distrobox": ("--",), "watchexec": ("--shell",), "start": ("-c",), "env": ("-S",
    "--split-string"),
}  # fmt: skip
WORD_WRAPPED = {"watch", "eval", "ssh", "trap", "tmux", "screen", "nodemon", "concurrently", "hyperfine", "mosh",
                 "parallel", "entr", "osascript"}  # fmt: skip
SSH_VALUES = frozenset(
    [
        "-b",
        "-c",
        "-D",
        "-E",
        "-e",
        "-F",
        "-I",
        "-i",
        "-J",
        "-L",
        "-l",
        "-m",
        "-O",
        "-o",
        "-p",
        "-Q",
        "-R",
        "-S",
        "-W",
        "-w",
        "-B",
    ]
)
FIND_RUNS = {"-exec", "-execdir", "-ok", "-okdir"}
