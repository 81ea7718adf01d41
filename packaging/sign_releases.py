#!/usr/bin/env python3
"""Sign the list of versions that installed programs read, from the manifests of the builds of one version.

    .venv/bin/python packaging/sign_releases.py MANIFEST … --out releases.json [--key FILE] [--next-key KEY]
    .venv/bin/python packaging/sign_releases.py --public [--key FILE]

MANIFEST: the manifest.json of dist/ of each system. The private Ed25519 key is a PEM file, as
`openssl genpkey -algorithm ed25519` writes it, or such text in the variable BANKSMAN_RELEASES_KEY. --public prints its
public key, which a build is given as --releases-key. --next-key announces the public key that will sign later lists;
programs believe both until the first list of the new one. Needs the package cryptography.
"""

import argparse
import base64
import json
import os
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from installer.ground import Problem
from installer.joined import joined

KEY = "BANKSMAN_RELEASES_KEY"
PREFIX = b"banksman-releases-v1\n"


def main(argv: list[str] | None = None) -> int:
    """0 when it was signed; else one sentence on stderr, and nothing was written."""
    given = arguments(argv)
    try:
        key = private_key(given.key)
        if given.public:
            print(public_text(key))
            return 0
        if not given.manifests or given.out is None:
            raise Problem("Name the manifests, and the list with --out.")
        text = json.dumps(joined(given.manifests) | {"next_key": next_key(given.next_key)}, indent=1, sort_keys=True)
        given.out.write_text(signed(text, key), "utf-8")
    except Problem as problem:
        print(f"sign_releases: {problem}", file=sys.stderr)
        return 2
    print(f"{given.out} is signed by {public_text(key)}")
    return 0


def arguments(argv: list[str] | None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Sign the list of versions.")
    parser.add_argument("manifests", nargs="*", type=Path, metavar="MANIFEST")
    parser.add_argument("--out", type=Path, help="the list")
    parser.add_argument("--key", type=Path, help=f"the private key as PEM; else {KEY} holds it")
    parser.add_argument("--next-key", default="", help="the public key, in base64, that will sign later lists")
    parser.add_argument("--public", action="store_true", help="print the public key")
    return parser.parse_args(argv)


def private_key(file: Path | None) -> Ed25519PrivateKey:
    """The key of the file or the environment. Raises Problem: there is none."""
    try:
        text = file.read_bytes() if file is not None else os.environ.get(KEY, "").encode()
        key = load_pem_private_key(text, password=None)
    except (OSError, ValueError, TypeError) as error:
        raise Problem(f"There is no private key in {file or KEY}. Give a PEM without a password.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise Problem(f"The key in {file or KEY} is not an Ed25519 key.")
    return key


def public_text(key: Ed25519PrivateKey) -> str:
    """The public key as a build is given it."""
    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def next_key(text: str) -> str:
    """The key that is announced, "" for none. Raises Problem: it is none."""
    try:
        if text and len(base64.b64decode(text, validate=True)) != 32:
            raise ValueError("not 32 bytes")
    except ValueError as error:
        raise Problem("--next-key is a public Ed25519 key, 32 bytes in base64.") from error
    return text


def signed(text: str, key: Ed25519PrivateKey) -> str:
    """The list as it is published."""
    signature = base64.b64encode(key.sign(PREFIX + text.encode())).decode()
    return json.dumps({"signed": text, "signature": signature}, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main())
