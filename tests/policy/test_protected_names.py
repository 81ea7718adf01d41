"""Protected names in every spelling (gate-P7)."""

import pytest

from desktop.policy.protected_names import (
    class_effect,
    comparable,
    holds_git_secrets,
    is_protected_component,
    may_be_named,
    may_hold_protected_file,
    name_classes,
    told_reason,
)

GIT = [
    ".git",
    ".GIT",
    ".git ",
    ".git.",
    ".git. .",
    ".git::$INDEX_ALLOCATION",
    ".git:x",
    "GIT~1",
    "git~12",
    ".g\u200bit",
    ".gi\u200ct",
    ".git\ufeff",
    "．git",
    ".ｇｉｔ",
    ".g\u202eit",
    ".git\ufe0e",
    ".git/config",
    ".git\\config",
]


@pytest.mark.promise("gate-P7")
@pytest.mark.parametrize("name", GIT)
def test_every_spelling_of_git_is_git(name: str) -> None:
    assert name_classes(("src", *name.split("/"))) == {"git"}


@pytest.mark.parametrize(
    "name", [".github", ".gitignore", "git", "x.git", ".gitkeep", "git~", "git~x", "agit~1", ".git2"]
)
def test_similar_names_are_free(name: str) -> None:
    assert name_classes((name,)) == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        ".gitmodules",
        "a/.gitattributes",
        ".husky",
        ".husky/pre-commit",
        ".githooks/x",
        ".pre-commit-config.yaml",
        ".mcp.json",
        ".claude/settings.json",
        ".cursor/rules/a",
        ".codex/x",
        ".vscode/settings.json",
        ".vscode/tasks.json",
        ".VSCode/Launch.json",
        "pkg/.vscode/launch.json",
        ".idea/workspace.xml",
        ".envrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".vscode/mcp.json",
        ".devcontainer/devcontainer.json",
        ".devcontainer/post/create.sh",
        ".devcontainer.json",
        "shop.code-workspace",
        "sub/Shop.Code-Workspace",
        ".zed/tasks.json",
        ".helix/languages.toml",
        ".exrc",
        ".nvim.lua",
        ".vimrc",
        "_vimrc",
        "src/.dir-locals.el",
        "lefthook.yml",
        "lefthook-local.yaml",
        ".lefthook.toml",
        ".lefthook/pre-commit/run.sh",
        ".config/lefthook.yml",
        ".lintstagedrc",
        ".lintstagedrc.mjs",
        "packages/a/lint-staged.config.js",
        ".huskyrc.json",
        ".overcommit.yml",
        ".git-hooks/pre_commit/x.rb",
        ".cargo/config",
        "crate/.cargo/config.toml",
        "rust-toolchain.toml",
        ".yarn/releases/yarn-4.1.0.cjs",
        ".yarn/plugins/@yarnpkg/x.cjs",
        ".pnpmfile.cjs",
        ".tool-versions",
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".mise/config.toml",
        ".config/mise/config.toml",
        ".config/mise.toml",
        ".rvmrc",
        ".agents/skills/x/SKILL.md",
        ".gemini/settings.json",
        ".kiro/hooks/x",
        ".qwen/settings.json",
        ".vibe/config.toml",
        ".aider.conf.yml",
        "opencode.json",
        ".lfsconfig",
        ".gdbinit",
    ],
)
def test_files_that_other_programs_run_are_guarded(path: str) -> None:
    parts = tuple(path.split("/"))
    assert name_classes(parts) == {"guarded"}
    folders = ("", *parts)
    found = [at for at in range(len(parts)) if name_classes(parts[: at + 1])]
    assert may_be_named(folders[found[0]], parts[found[0]])


@pytest.mark.parametrize(
    "path",
    [
        ".vscode", ".vscode/extensions.json", "settings.json", "x/.envrc/y", "mcp.json", ".cargo/registry/x", ".cargo",
        "config.toml", ".yarn/cache/x.zip", "releases/x", "lefthook.md", "lefthook/x.go", "mise.md", "miser.toml",
        "code-workspace", ".github/workflows/ci.yml", ".gitlab-ci.yml", "AGENTS.md", "CLAUDE.md", ".python-version",
        ".ruby-version", ".nvmrc", ".editorconfig", "Makefile", "package.json", "conftest.py", ".config/x.toml",
    ],
)  # fmt: skip
def test_their_neighbours_are_free(path: str) -> None:
    assert name_classes(tuple(path.split("/"))) == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".ENV",
        ".env.",
        ".env.local",
        ".env.production",
        "a/b/.env.test",
        "server.pem",
        "x.KEY",
        "a.p12",
        "a.pfx",
        "a.jks",
        "a.keystore",
        "a.kdbx",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".git-credentials",
        "credentials.json",
        "secret.json",
        "secrets.yml",
        "secrets.yaml",
        "secret.toml",
        "service-account.json",
        "service-account-prod.json",
        ".ssh",
        ".ssh/config",
        ".aws/credentials",
        ".gnupg/x/y",
        ".kube/config",
        ".docker/config.json",
        ".ſsh/x",
    ],
)
def test_files_that_hold_secrets_are_secret(path: str) -> None:
    assert name_classes(tuple(path.split("/"))) == {"secret"}


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.local.sample",
        ".env.template",
        ".env.dist",
        "environment",
        ".environment.md",
        "id_rsa.pub",
        "secrets.py",
        "secrets/readme.md",
        ".kube/cache",
        "config",
        ".docker/x.json",
        "pem",
        "a.pem/b",
    ],
)
def test_samples_and_similar_names_hold_no_secret(path: str) -> None:
    assert name_classes(tuple(path.split("/"))) == frozenset()


def test_the_products_own_folder_in_a_lane_is_own() -> None:
    assert name_classes((".banksman", "rules.json")) == {"own"}


def test_a_name_can_fall_in_two_classes() -> None:
    assert name_classes((".git", "id_rsa")) == {"git", "secret"}


def test_names_of_dots_and_blanks_alone_stay_themselves() -> None:
    assert comparable("..") == ".."
    assert comparable(" . ") == " . "
    assert comparable(":x") == ":x"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("AGENTS.md", "instructions"), ("sub/claude.MD", "instructions"), ("CLAUDE.md", "instructions"),
        ("GEMINI.md", "instructions"),
        (".github/workflows/ci.yml", "ci"), (".github/actions/x/action.yml", "ci"), (".gitlab-ci.yml", "ci"),
        (".circleci/config.yml", "ci"), ("Jenkinsfile", "ci"), ("azure-pipelines.yml", "ci"),
        ("AGENTS.md/x", ""), (".github/CODEOWNERS", ""), ("docs/agents.txt", ""), ("workflows/ci.yml", ""), ("", ""),
    ],
)  # fmt: skip
def test_what_is_told_instead_of_asked_about_has_its_reason(path: str, why: str) -> None:
    parts = tuple(path.split("/")) if path else ()
    assert told_reason(parts) == why
    if why:
        assert any(may_be_named(("", *parts)[at], part) for at, part in enumerate(parts))


@pytest.mark.parametrize(("parent", "name"), [("src", "app.py"), ("", "Makefile"), ("x", "mise"), ("", "README.md")])
def test_ordinary_names_need_no_exact_look(parent: str, name: str) -> None:
    assert not may_be_named(parent, name)


@pytest.mark.parametrize("folder", [".vscode", "a/.yarn", "a/.Cargo", ".config"])
def test_folders_in_which_single_names_are_guarded_are_known(folder: str) -> None:
    assert may_hold_protected_file(folder)
    assert not may_hold_protected_file(f"{folder}/x")


def test_a_component_is_judged_with_its_folder() -> None:
    assert is_protected_component(".kube", "con\u200bfig")
    assert not is_protected_component("", "con\u200bfig")


@pytest.mark.parametrize(
    "name", ["config", "config.worktree", "credentials", ".git-credentials", "credential.store", "CONFIG"]
)
def test_gits_configuration_and_credentials_are_known(name: str) -> None:
    assert holds_git_secrets((".git", name))


@pytest.mark.parametrize(
    "parts", [(), (".git",), (".git", "HEAD"), (".git", "hooks", "pre-commit"), (".git", "config.d")]
)
def test_other_files_of_git_are_not(parts: tuple[str, ...]) -> None:
    assert not holds_git_secrets(parts)


@pytest.mark.parametrize(
    ("class_", "read", "write"),
    [("git", "", "deny"), ("own", "", "deny"), ("guarded", "", "ask"), ("secret", "ask", "ask")],
)
def test_each_class_has_its_effect(class_: str, read: str, write: str) -> None:
    assert class_effect(class_, "read") == read  # type: ignore[arg-type]
    assert class_effect(class_, "list") == read  # type: ignore[arg-type]
    assert class_effect(class_, "write") == write  # type: ignore[arg-type]
    assert class_effect(class_, "delete") == write  # type: ignore[arg-type]


def test_reading_gits_configuration_asks() -> None:
    assert class_effect("git", "read", git_secrets=True) == "ask"
    assert class_effect("git", "write", git_secrets=True) == "deny"
