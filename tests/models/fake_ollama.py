"""A small server that speaks Ollama's language on a real socket, and says what a test wants."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[str, dict], object]
"""(the last message's text, the whole request) -> what to say: an object or a text; an int is a status code."""


class FakeOllama:
    """The server's state.

    Args:
        answer: what the models say.
        dimension: of the vectors.
    """

    def __init__(self, answer: Answer = lambda _prompt, _request: "hello", dimension: int = 8) -> None:
        self.answer = answer
        self.dimension = dimension
        self.models = ["small", "large"]
        self.context_length = 32_768
        self.delay = 0.0
        self.requests: list[dict] = []
        self.embedded: list[dict] = []
        self.open = 0
        self.most_open = 0
        self.cut_to = None
        self.longest_input = 1 << 30
        self.url = ""
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][-1]["content"] for request in self.requests]

    def asked(self, opening: str) -> list[str]:
        """The prompts that begin so."""
        return [prompt for prompt in self.prompts if prompt.startswith(opening)]

    def start(self, port: int = 0) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self._send(200, {"models": [{"model": name, "name": name} for name in outer.models]})

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/api/show":
                    self._send(200, {"model_info": {"fake.context_length": outer.context_length}})
                elif request["model"] not in outer.models:
                    self._send(404, {"error": f"model '{request['model']}' not found"})
                elif self.path == "/api/embed":
                    self._embed(request)
                else:
                    self._chat(request)

            def _embed(self, request):
                outer.embedded.append(request)
                texts = request["input"]
                if any(len(text) > outer.longest_input for text in texts):
                    self._send(400, {"error": "the input length exceeds the context length"})
                    return
                self._send(200, {"model": request["model"], "embeddings": [outer.vector(text) for text in texts]})

            def _chat(self, request):
                with outer._lock:
                    outer.requests.append(request)
                    outer.open += 1
                    outer.most_open = max(outer.most_open, outer.open)
                try:
                    said = outer.answer(request["messages"][-1]["content"], request)
                    time.sleep(outer.delay)
                finally:
                    with outer._lock:
                        outer.open -= 1
                if isinstance(said, int):
                    self._send(said, {"error": "out of order"})
                    return
                text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
                read = sum(len(one["content"]) for one in request["messages"]) // 4
                limit = min(outer.cut_to or 1 << 30, outer.context_length, request["options"]["num_ctx"])
                half = len(text) // 2
                base = {"model": request["model"], "created_at": "2026-04-10T00:00:00Z"}
                parts = [
                    {**base, "message": {"role": "assistant", "content": text[:half]}, "done": False},
                    {
                        **base,
                        "message": {"role": "assistant", "content": text[half:]},
                        "done": True,
                        "done_reason": "stop",
                        "prompt_eval_count": min(read, limit),
                        "eval_count": len(text) // 4,
                    },
                ]
                body = "".join(json.dumps(part) + "\n" for part in parts).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _send(self, status, data):
                body = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self):
                with suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
                    super().handle()

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> int:
        """Go away; gives the port, to come back at."""
        port = self._server.server_port
        self._server.shutdown()
        self._server.server_close()
        return port

    def vector(self, text: str) -> list[float]:
        """A vector that texts with the same words share."""
        row = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            row[sum(word.encode()) % self.dimension] += 1.0
        return row


@contextmanager
def serving(answer: Answer = lambda _prompt, _request: "hello", **options) -> Iterator[FakeOllama]:
    server = FakeOllama(answer, **options)
    server.start()
    try:
        yield server
    finally:
        server.stop()
