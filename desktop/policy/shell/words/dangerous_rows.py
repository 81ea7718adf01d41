"""The tables behind the dangerous options: by program, what makes it run something else or act elsewhere (gate-R12)."""

from desktop.policy.shell.words.dangerous_git import GIT
from desktop.policy.shell.words.option_row import OptionRow

_NODE_PACKAGES = (
    "--prefix",
    "--dir",
    "--cwd",
    "--script-shell",
    "--shell",
    "--node-options",
    "--userconfig",
    "--globalconfig",
    "--registry",
    "--ignore-workspace",
    "--global",
    "--location",
    "--git",
    "--onload-script",
    "--config.*",
    "--pnpmfile",
    "--global-pnpmfile",
    "--use-yarnrc",
    "--preload",
    "--workspace*",
    "--include-workspace-root",
    "--proxy",
    "--https-proxy",
    "--node-gyp",
)
_NPM = OptionRow(
    short="Cgw",
    before_dashes="gw",
    long=_NODE_PACKAGES,
    any_dashes=True,
    harmless=("--config", "--ignore", "--glob", "--include"),
)
_PNPM = _NPM.model_copy(
    update={
        "short": "CgwFr",
        "before_dashes": "gwFr",
        "long": (*_NODE_PACKAGES, "--filter*", "--recursive"),
    }
)
_BUN = OptionRow(
    short="CrF",
    before_dashes="rF",
    long=(*_NODE_PACKAGES, "--eval", "--filter*"),
    harmless=("--config", "--ignore", "--include"),
)
_PIP = OptionRow(
    short="ifte",
    long=(
        "--index-url",
        "--extra-index-url",
        "--find-links",
        "--target",
        "--prefix",
        "--root",
        "--editable",
        "--config-settings",
        "--python",
        "--trusted-host",
        "--proxy",
        "--src",
        "--global-option",
        "--build-option",
        "--install-option",
        "--with*",
        "--directory",
        "--project",
        "--index",
        "--default-index",
        "--config-file",
        "--env-file",
        "--pypi-url",
        "--config-setting",
    ),
    valued="rc",
    harmless=("--pre",),
)
_DOCKER = OptionRow(
    short="vH",
    long=(
        "--privileged",
        "--volume",
        "--volumes-from",
        "--mount",
        "--device",
        "--pid",
        "--cap-add",
        "--security-opt",
        "--host",
        "--config",
        "--context",
        "--userns",
        "--build-context",
    ),
    exact=True,
    valued="efpwutm",
)

_COMPILER = OptionRow(
    single=(
        "-wrapper",
        "-fplugin*",
        "-specs*",
        "-B*",
        "-fuse-ld*",
        "-load*",
        "-plugin*",
        "-X*",
        "-iplugindir*",
        "-ld-path*",
        "-gcc-toolchain*",
        "-resource-dir*",
        "-config*",
        "-extra-arg*",
        "-Wl,-plugin*",
        "-Wl,--plugin*",
        "-Wl,-I*",
        "-Wl,--dynamic-linker*",
        "-Wl,-dynamic-linker*",
        "-Wl,@*",
        "-vfsoverlay*",
        "-ivfsoverlay*",
        "-query-driver*",
        "-ccbin*",
        "-compiler-bindir*",
        "-pgm*",
        "-tools-directory*",
        "-ppx*",
        "-fpass-plugin*",
        "-run",
    ),
    exact=True,
    first_letters=("@",),
)
_BINUTILS = OptionRow(single=("-plugin*", "-use-ld*"), long=("--plugin*",), exact=True, first_letters=("@",))
_LATEX = OptionRow(single=("-shell-escape", "-enable-write18", "-e", "-r", "-pdflatex*", "-latex*"), exact=True)

_KUBE = OptionRow(
    short="sk",
    long=(
        "--kubeconfig",
        "--kuberc",
        "--server",
        "--kustomize",
        "--context",
        "--cluster",
        "--user",
        "--as*",
        "--token",
        "--insecure-skip-tls-verify",
        "--tls-server-name",
        "--certificate-authority",
        "--client-*",
        "--raw",
        "--proxy-url",
    ),
    exact=True,
    valued="nlfoLcv",
)

ROWS: dict[str, OptionRow] = {
    "git": GIT,
    "find": OptionRow(
        single=("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint*", "-fls", "-files0-from"),
        harmless=("-e", "-f", "-o", "-d"),
    ),
    "fd": OptionRow(short="xX", long=("--exec", "--exec-batch"), valued="etdEcjS"),
    "rg": OptionRow(
        short="zf",
        long=("--pre", "--pre-glob", "--hostname-bin", "--search-zip", "--file", "--ignore-file"),
        valued="ABCegmtTMrjEd",
    ),
    "grep": OptionRow(short="zf", long=("--file",), valued="ABCem"),
    "sort": OptionRow(
        short="oT",
        long=("--output", "--compress-program", "--temporary-directory", "--files0-from"),
        valued="ktS",
    ),
    "tar": OptionRow(
        short="IFP",
        long=(
            "--use-compress-program", "--checkpoint-action", "--to-command", "--info-script", "--new-volume-script",
            "--rsh-command", "--rmt-command", "--absolute-names", "--transform", "--xform", "--one-top-level",
        ),
        valued="fCTbgKNVXHL",
        harmless=("--checkpoint",),
        bare_cluster=True,
    ),
    "zip": OptionRow(short="T", long=("--unzip-command", "--test"), single=("-TT",)),
    "rsync": OptionRow(short="eM", long=("--rsh", "--rsync-path", "--daemon", "--remote-option", "--config"),
                       valued="fBT", remote=True),
    "npm": _NPM,
    "pnpm": _PNPM,
    "yarn": _NPM,
    "bun": _BUN,
    "pip": _PIP,
    "uv": _PIP,
    "make": OptionRow(
        short="fCIE",
        long=("--file", "--makefile", "--directory", "--eval", "--include-dir"),
        valued="oW",
        targets=True,
    ),
    "cmake": OptionRow(short="PEC", valued="DUGSBATLWj"),
    "ninja": OptionRow(short="Cf", valued="jkldt", targets=True),
    "just": OptionRow(
        short="fdce",
        long=(
            "--justfile", "--working-directory", "--set", "--shell*", "--command", "--chooser", "--dotenv-path",
            "--dotenv-filename", "--edit", "--global-justfile", "--cygpath",
        ),
        targets=True,
    ),
    "task": OptionRow(short="tdg", long=("--taskfile", "--dir", "--global", "--entrypoint"), targets=True),
    "rake": OptionRow(
        short="frIepERg",
        long=("--rakefile", "--require", "--libdir", "--execute*", "--rakelibdir", "--system", "--rakelib"),
        targets=True,
    ),
    "gradle": OptionRow(
        short="bIpcDg",
        long=(
            "--build-file", "--init-script", "--project-dir", "--settings-file", "--system-prop", "--gradle-user-home",
            "--include-build", "--project-cache-dir",
        ),
        valued="xPM",
        targets=True,
    ),
    "mvn": OptionRow(
        single=("-f*", "-s*", "-l*", "-t*", "-gs*", "-gt*", "-D*"),
        long=(
            "--file", "--settings", "--global-settings", "--toolchains", "--global-toolchains", "--log-file",
            "--define",
        ),
        harmless=("-fae", "-ff", "-fn", "-g"),
        targets=True,
    ),
    "cargo": OptionRow(
        short="Z",
        long=("--config", "--manifest-path", "--target-dir", "--lockfile-path", "--artifact-dir", "--out-dir"),
        valued="pFjC",
        harmless=("--target",),
    ),
    "go": OptionRow(
        single=("-exec", "-toolexec", "-C", "-modfile", "-overlay", "-ldflags", "-o", "-vettool", "-gccgoflags"),
        harmless=("-mod", "-g", "-e", "-t", "-l", "-v", "-m", "-vet"),
    ),
    "pytest": OptionRow(
        short="pco",
        long=(
            "--rootdir", "--confcutdir", "--pyargs", "--import-mode", "--override-ini", "--config-file", "--tx",
            "--pdbcls", "--basetemp", "--pastebin", "--rsyncdir", "--cov-config", "--px",
        ),
        valued="kmnrW",
        harmless=("--co", "--pdb", "--cov"),
        first_letters=("@",),
    ),
    "python": OptionRow(short="cmiX", valued="W"),
    "node": OptionRow(
        short="epr",
        long=(
            "--require", "--import", "--loader", "--experimental-loader", "--eval", "--print", "--env-file*",
            "--experimental-config-file", "--openssl-config", "--inspect*",
        ),
    ),
    "man": OptionRow(short="PHC", long=("--pager", "--html", "--config-file"), valued="LmMSseErRT"),
    "less": OptionRow(
        short="oOk", long=("--log-file", "--lesskey*"), valued="bhjpPtTxyzD", first_letters=("+",)
    ),
    "tox": OptionRow(short="xc", long=("--override", "--conf", "--workdir", "--root")),
    "nox": OptionRow(short="f", long=("--noxfile", "--default-venv-backend")),
    "bazel": OptionRow(long=("--run-under", "--workspace-status-command", "--action-env", "--override*"), exact=True),
    "ctest": OptionRow(short="S", long=("--script", "--build-and-test"), exact=True),
    "gcc": _COMPILER,
    "cc": _COMPILER,
    "clang": _COMPILER,
    "rustc": OptionRow(short="CZ", long=("--codegen", "--sysroot"), valued="oLl", exact=True, first_letters=("@",)),
    "javac": OptionRow(single=("-J*", "-processor*", "-Xplugin*"), exact=True, first_letters=("@",)),
    "docker": _DOCKER,
    "podman": _DOCKER,
    "kubectl": _KUBE,
    "oc": _KUBE,
    "helm": OptionRow(
        long=("--kubeconfig", "--kube-*", "--post-renderer*", "--registry-config", "--repository-config", "--plugins*"),
        exact=True,
    ),
    "mypy": OptionRow(
        long=("--python-executable", "--install-types", "--custom-typeshed-dir", "--config-file"),
        valued="mpc",
        harmless=("--p", "--c"),
        first_letters=("@",),
    ),
    "pylint": OptionRow(long=("--init-hook", "--load-plugins", "--rcfile")),
    "pre-commit": OptionRow(short="c", long=("--config",)),
    "ansible-playbook": OptionRow(
        short="iM",
        long=(
            "--inventory*", "--module-path", "--vault-password-file", "--vault-pass-file", "--connection-password-file",
            "--conn-pass-file", "--become-password-file", "--become-pass-file", "--ssh-common-args", "--ssh-extra-args",
            "--connection", "--playbook-dir",
        ),
        valued="eltfu",
    ),
    "openssl": OptionRow(
        single=("-engine*", "-provider*", "-config", "-writerand", "-connect", "-proxy", "-keyform", "-inform"),
        exact=True,
    ),
    "clang-tidy": _COMPILER,
    **dict.fromkeys(
        ("clang-check", "clang-query", "clangd", "opt", "llc", "lli", "nvcc", "swiftc", "ghc", "gfortran", "ocamlc",
         "ocamlopt", "dmd", "kotlinc", "scalac", "tsc", "csc"), _COMPILER,
    ),
    **dict.fromkeys(("ld", "ar", "nm", "ranlib", "strip", "objcopy", "objdump", "readelf", "size"), _BINUTILS),
    **dict.fromkeys(("pdflatex", "latex", "xelatex", "lualatex", "tex", "latexmk"), _LATEX),
    "protoc": OptionRow(long=("--plugin*",), exact=True, first_letters=("@",)),
    "pandoc": OptionRow(
        short="FL", long=("--filter", "--lua-filter", "--pdf-engine*", "--defaults"), valued="ftoTHBAVMDcd",
    ),
    "asciidoctor": OptionRow(short="rIT", long=("--require", "--load-path", "--template-dir")),
    "rspec": OptionRow(short="rIO", long=("--require", "--options"), valued="etf", exact=True),
    "rubocop": OptionRow(short="rc", long=("--require", "--plugin", "--config")),
    "phpstan": OptionRow(short="ac", long=("--autoload-file", "--configuration")),
    "phpunit": OptionRow(short="cd", long=("--bootstrap", "--configuration", "--include-path", "--extension")),
    "ssh-keygen": OptionRow(short="Dw", valued="fbtCmNP"),
    "ssh-add": OptionRow(short="seS"),
    "gpg": OptionRow(
        long=("--agent-program", "--dirmngr-program", "--pinentry*", "--photo-viewer", "--exec-path", "--homedir",
              "--options", "--load-extension", "--keyserver*", "--send-keys", "--recv-keys", "--receive-keys"),
    ),
    "nmap": OptionRow(single=("-script*", "-datadir*", "-iL"), exact=True),
    "ip": OptionRow(single=("-batch", "-b", "-force", "-netns", "-n")),
    "aws": OptionRow(
        long=("--endpoint-url", "--profile", "--ca-bundle", "--no-verify-ssl", "--cli-auto-prompt"),
    ),
    "gh": OptionRow(long=("--hostname",), exact=True),
    "systemctl": OptionRow(short="HMf", long=("--host", "--machine", "--root", "--image", "--force"), valued="ptnoP"),
    "journalctl": OptionRow(
        short="MDi",
        long=(
            "--vacuum*", "--rotate", "--flush", "--sync", "--setup-keys", "--update-catalog", "--relinquish-var",
            "--smart-relinquish-var", "--machine", "--directory", "--file", "--root", "--image", "--cursor-file",
        ),
        valued="uptnoScSUFgI",
        harmless=("--re",),
    ),
    "deno": OptionRow(
        short="ARWNESIPc",
        long=(
            "--allow*", "--import-map", "--cert", "--v8-flags*", "--inspect*", "--env-file*", "--permission-set",
            "--unsafely*", "--lock*", "--config", "--preload", "--import", "--node-modules-dir*", "--location",
        ),
        exact=True,
        before_dashes="ARWNESIPc",
    ),
    "terraform": OptionRow(
        single=("-chdir*", "-plugin-dir*", "-backend-config*", "-state*", "-auto-approve", "-destroy"), exact=True
    ),
    "unzip": OptionRow(short=":"),
    "strings": OptionRow(first_letters=("@",)),
    "yq": OptionRow(short="if", long=("--inplace", "--in-place", "--from-file"), valued="pon"),
}  # fmt: skip
"""By program name as `program_names` gives it: its options that break out of a rule (gate-R12), and others with the
same power."""

PLAIN_PROPERTIES = ("-Dtest=", "-DskipTests", "-DskipITs", "-Dit.test=", "-Dmaven.test.skip", "-DfailIfNoTests")
