"""A host on 127.0.0.1 that keeps pictures: what is asked of it, and what it answers, path by path."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, Mapping[str, str], bytes]


class PictureHost(ThreadingHTTPServer):
    """`answers`: status, headers and body of each path, 404 for all others. `asked`: paths with their headers."""

    daemon_threads = True

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.answers = dict(answers)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.root = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def end(self) -> None:
        """Answer no more."""
        self.shutdown()
        self.server_close()


class _Exchange(BaseHTTPRequestHandler):
    server: PictureHost

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers))
        status, sent, body = self.server.answers.get(self.path, (404, {}, b"gone"))
        self.send_response(status)
        for name, value in sent.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""
