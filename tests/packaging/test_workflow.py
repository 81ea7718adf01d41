"""The workflow that builds, signs and publishes, parsed; and the step in it that takes the keys."""

import base64
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import take_keys
import yaml
from installer.ground import ROOT
from installer.signing import sign_beside, signer

TAG = "github.ref_type == 'tag'"
RECORDER = """#!/bin/sh
echo "$(basename "$0") $*" >> "$RECORD"
case "$*" in
  *Import-Pfx*) cat "$SIGN_FILE" >> "$RECORD"; echo A1B2C3 ;;
  *find-identity*) echo "  1) 0123456789012345678901234567890123456789 \\"Developer ID Application\\"" ;;
esac
"""


def jobs() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "installers.yml").read_text("utf-8"))
    assert read["permissions"] == {"contents": "read"}
    return dict(read["jobs"])


def steps() -> list[dict[str, Any]]:
    return [step for job in jobs().values() for step in job["steps"]]


def test_every_step_is_pinned_and_runs_something_that_is_there() -> None:
    for step in steps():
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), step
        for script in re.findall(r"packaging/[\w.]+", step.get("run", "")):
            assert (ROOT / script).is_file(), script
    commands = "\n".join(step.get("run", "") for step in steps())
    for wanted in (
        "bootstrap.py test",
        "build.py --again --appimage",
        "verify_deb.py",
        "--previous",
        "verify_updates.py",
        "verify_program.py",
    ):
        assert wanted in commands


def test_releases_for_both_machines_are_built_in_an_image_by_its_digest() -> None:
    debian = jobs()["debian"]
    assert re.fullmatch(r"debian:bookworm-\d{8}@sha256:[0-9a-f]{64}", debian["container"]["image"])
    assert {one["machine"]: one["runner"] for one in debian["strategy"]["matrix"]["include"]} == {
        "amd64": "ubuntu-24.04",
        "arm64": "ubuntu-24.04-arm",
    }
    systems = jobs()["desktop"]["strategy"]["matrix"]["system"]
    assert systems == ["windows-2022", "macos-14", "macos-14-large"]


def test_every_build_is_given_where_newer_versions_are_asked_for() -> None:
    builds = [step["run"] for step in steps() if " packaging/build.py" in step.get("run", "")]
    assert len(builds) == 2
    for option in ("--releases-address", "--releases-page", "--releases-key"):
        assert all(f'{option} "${{{{ vars.' in line for line in builds)


def test_only_a_tag_signs_attests_and_publishes_and_only_publishing_may_write() -> None:
    found = jobs()
    assert found["publish"]["if"] == TAG
    assert found["publish"]["needs"] == ["debian", "desktop"]
    for name, job in found.items():
        assert job["permissions"]["contents"] == ("write" if name == "publish" else "read")
        for step in job["steps"]:
            if name != "publish" and ("secrets." in str(step) or "attest" in step.get("uses", "")):
                assert step["if"].startswith(TAG), step


def test_secrets_reach_only_the_step_that_takes_them_and_after_the_tests() -> None:
    for job in jobs().values():
        runs = [step.get("run", "") for step in job["steps"]]
        takes = [at for at, run in enumerate(runs) if "take_keys.py" in run]
        assert takes
        tests = [at for at, run in enumerate(runs) if "bootstrap.py test" in run]
        makes = [at for at, run in enumerate(runs) if re.search(r"packaging/(build|release)\.py", run)]
        assert max([*tests, -1]) < min(takes)
        assert max(takes) < min(makes)
        for step in job["steps"]:
            if "secrets." in str(step):
                assert re.search(r"take_keys\.py|sign_releases\.py", step["run"]), step
            assert "secrets." not in step.get("run", "")
        assert "secrets." not in str(job.get("env", ""))


def test_every_secret_that_a_step_is_given_is_one_that_it_knows() -> None:
    known = set(re.findall(r"SIGN_[A-Z_]+", (ROOT / "packaging" / "take_keys.py").read_text("utf-8")))
    for step in steps():
        if "take_keys.py" in step.get("run", ""):
            assert set(step["env"]) <= known


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a runner without secrets; `env` in it is what later steps are told."""
    for name in [one for one in os.environ if one.startswith("SIGN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    monkeypatch.setenv("GITHUB_ENV", str(tmp_path / "env"))
    return tmp_path


@pytest.fixture
def said(runner: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What programs of other systems were told, a line each."""
    programs = runner / "programs"
    programs.mkdir()
    for program in ("security", "xcrun", "pwsh"):
        programs.joinpath(program).write_text(RECORDER)
        programs.joinpath(program).chmod(0o755)
    monkeypatch.setenv("RECORD", str(runner / "record"))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return runner / "record"


@pytest.mark.parametrize("system", ["linux", "windows", "macos"])
def test_where_no_secret_is_there_nothing_is_named(
    runner: Path, system: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert take_keys.main(system) == 0
    assert "nobody signed it" in capsys.readouterr().out
    assert (runner / "env").read_text() == ""


def test_a_key_of_gpg_is_taken_and_signs(runner: Path, gpg_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["gpg", "--batch", "--armor", "--export-secret-keys", gpg_key]
    armoured = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    subprocess.run(["gpgconf", "--kill", "all"], check=True)
    home = Path(os.environ["GNUPGHOME"])
    for one in home.iterdir():
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    monkeypatch.setenv("SIGN_GPG", armoured)
    assert take_keys.main("linux") == 0
    assert (runner / "env").read_text() == f"BANKSMAN_GPG_KEY={gpg_key}\n"
    (runner / "file").write_text("x")
    (signature,) = sign_beside(signer({"BANKSMAN_GPG_KEY": gpg_key}, "linux"), runner / "file")
    subprocess.run(["gpg", "--verify", str(signature), str(runner / "file")], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is not installed")
def test_a_key_of_minisign_is_taken_and_signs(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["minisign", "-G", "-W", "-s", str(runner / "k"), "-p", str(runner / "p")]
    subprocess.run(words, check=True, capture_output=True)
    monkeypatch.setenv("SIGN_MINISIGN", (runner / "k").read_text())
    assert take_keys.main("linux") == 0
    key, _, file = (runner / "env").read_text().strip().partition("=")
    assert Path(file).stat().st_mode & 0o077 == 0
    (runner / "file").write_text("x")
    sign_beside(signer({key: file}, "linux"), runner / "file")
    checked = ["minisign", "-V", "-p", str(runner / "p"), "-m", str(runner / "file")]
    subprocess.run(checked, check=True, capture_output=True)


@pytest.mark.skipif(os.name == "nt", reason="the recorder is a script for sh")
def test_a_certificate_of_windows_goes_to_the_store_and_no_file_stays(
    runner: Path, said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGN_CERTIFICATE", base64.b64encode(b"the certificate").decode())
    monkeypatch.setenv("SIGN_PASSWORD", "hunter2")
    monkeypatch.setenv("SIGN_TIMESTAMPS", "http://time.example.org")
    assert take_keys.main("windows") == 0
    told = (runner / "env").read_text().splitlines()
    assert told == ["BANKSMAN_CERTIFICATE=A1B2C3", "BANKSMAN_TIMESTAMPS=http://time.example.org"]
    assert signer(dict(line.split("=", 1) for line in told), "windows").by == "certificate A1B2C3"
    assert "the certificate" in said.read_text()
    assert "hunter2" not in said.read_text()
    assert not (runner / "certificate.pfx").exists()


@pytest.mark.skipif(os.name == "nt", reason="the recorder is a script for sh")
def test_a_developer_id_goes_to_a_keychain_of_its_own(
    runner: Path, said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PASSWORD", "APPLE_ID", "TEAM", "APP_PASSWORD"):
        monkeypatch.setenv(f"SIGN_{name}", name.lower())
    monkeypatch.setenv("SIGN_CERTIFICATE", base64.b64encode(b"the certificate").decode())
    assert take_keys.main("macos") == 0
    told = (runner / "env").read_text().splitlines()
    assert told == [
        "BANKSMAN_CODESIGN_IDENTITY=0123456789012345678901234567890123456789",
        "BANKSMAN_NOTARY_PROFILE=banksman",
    ]
    lines = said.read_text().splitlines()
    assert [line.split()[1] for line in lines] == [
        "create-keychain", "set-keychain-settings", "unlock-keychain", "import", "set-key-partition-list",
        "list-keychains", "default-keychain", "notarytool", "find-identity",
    ]  # fmt: skip
    assert lines[7].endswith("store-credentials banksman --apple-id apple_id --team-id team --password app_password")
    assert not (runner / "certificate.p12").exists()


def test_what_is_no_certificate_is_refused_without_its_text(
    runner: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIGN_CERTIFICATE", "not base64!")
    for system in ("windows", "macos"):
        assert take_keys.main(system) == 2
        assert capsys.readouterr().err == "take_keys: SIGN_CERTIFICATE is not base64.\n"
    assert not (runner / "env").exists()
