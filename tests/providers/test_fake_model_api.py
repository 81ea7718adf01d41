import json
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_as_a_program_it_prints_its_address_and_answers_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "turns.json"
    script.write_text(json.dumps([{"text": "hello", "fault": "json"}, {"status": 429, "type": "rate_limit_error"}]))
    command = [sys.executable, "-m", "tests.fakes.fake_model_api", "--script", str(script), "--loop"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        assert program.stdout is not None
        assert program.stdin is not None
        url = program.stdout.readline().strip()
        ask = urllib.request.Request(f"{url}/v1/messages", data=b'{"model": "m"}', method="POST")
        with urllib.request.urlopen(ask, timeout=10) as response:
            message = json.loads(response.read())
        assert message["content"] == [{"type": "text", "text": "hello"}]
        program.stdin.close()
        assert program.wait(10) == 0
