"""A host of git repositories over TLS on 127.0.0.1: git's own program for it, behind a certificate of its own."""

import contextlib
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self


class GitHost(ThreadingHTTPServer):
    """Serves the repositories below `folder`. `certificate`: the file that a client must trust; `moved`: answers by
    path that lead elsewhere; `asked`: all paths, in order; `logins`: what clients said of who they are."""

    daemon_threads = True

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.folder = folder
        self.port = int(self.server_address[1])
        self.certificate = folder / "certificate.pem"
        self.moved: dict[str, str] = {}
        self.asked: list[str] = []
        self.logins: list[str] = []
        self.slow = threading.Event()
        self.slow.set()
        _make_certificate(folder, name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, folder / "key.pem")
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.slow.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """A client that hangs up, or trusts nobody, is none of ours."""


class _Exchange(BaseHTTPRequestHandler):
    server: GitHost

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length", "0"))))

    def _answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append(path)
        self.server.slow.wait()
        if login := self.headers.get("authorization"):
            self.server.logins.append(login)
        if path in self.server.moved:
            self.send_response(302)
            self.send_header("Location", self.server.moved[path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=self._environment(path, query), capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        with contextlib.suppress(OSError):
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def _environment(self, path: str, query: str) -> dict[str, str]:
        protocol = self.headers.get("git-protocol", "")
        return {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": protocol,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_CONFIG_KEY_1": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_1": "true",
        }

    def log_message(self, *_: object) -> None:
        """Quiet."""


def _make_certificate(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subject = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem"))
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *files]
    subprocess.run(made, check=True, capture_output=True)
