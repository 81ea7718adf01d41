"""A key of GPG that lives for one test."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture
def gpg_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its fingerprint; gpg finds it."""
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not installed")
    with tempfile.TemporaryDirectory(prefix="gpg") as home:  # short: its agent's socket lies in it
        monkeypatch.setenv("GNUPGHOME", home)
        made = ["--batch", "--passphrase", "", "--quick-generate-key", "Releases <releases@example.org>", "ed25519"]
        subprocess.run(["gpg", *made, "sign", "1d"], check=True, capture_output=True)
        listed = subprocess.run(["gpg", "--list-keys", "--with-colons"], check=True, capture_output=True, text=True)
        yield next(line.split(":")[9] for line in listed.stdout.splitlines() if line.startswith("fpr"))
        subprocess.run(["gpgconf", "--kill", "all"], check=True, capture_output=True)
