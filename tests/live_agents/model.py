"""A model server on the loopback interface, as much of one as the agents need to run a session.

It speaks the protocols of the three agents that are tested (OpenAI's Responses and Chat Completions, Gemini's
`generateContent`), streams one short answer to whatever it is asked, and keeps every request, so that a test can see
what would have reached a model.
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = Callable[[str], str]


class Model:
    """The server; use it as a context."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.full: tuple[str, int] = ("", 0)
        """Words, and how many tokens it says that the conversation has when they were said last: agents compact by
        that."""
        self.summary: tuple[str, str] = ("", "")
        """Words by which a request for a summary is known, and the summary."""
        model = self

        class Handler(_Handler):
            def answer(self) -> None:
                _serve(self, model)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self) -> list[str]:
        """The requests for an answer, as the text of their JSON, oldest first."""
        return [json.dumps(body, ensure_ascii=False) for _, body in self.requests]

    def used(self, body: dict[str, Any]) -> int:
        """What it says that the conversation costs so far."""
        words, tokens = self.full
        return tokens if words and words in _last(body) else 100

    def reply(self, body: dict[str, Any]) -> str:
        words, summary = self.summary
        return summary if words and words in _last(body) else f"Understood ({len(self.requests)})."


def _last(body: dict[str, Any]) -> str:
    """The last turn of a request, as JSON."""
    turns = body.get("input") or body.get("messages") or body.get("contents") or [""]
    return json.dumps(turns[-1])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing: what counts is kept in `requests`."""

    def answer(self) -> None:
        raise NotImplementedError

    def do_GET(self) -> None:
        self.json({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        self.answer()

    def body(self) -> dict[str, Any]:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = json.loads(data or b"{}")
        return found if isinstance(found, dict) else {}

    def json(self, value: object) -> None:
        self._send("application/json", json.dumps(value).encode())

    def stream(self, *events: object, named: bool = False) -> None:
        lines = []
        for event in events:
            if named and isinstance(event, dict):
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _serve(handler: _Handler, model: Model) -> None:
    body = handler.body()
    path = handler.path.partition("?")[0]
    model.requests.append((path, body))
    text = model.reply(body)
    if path.endswith("/responses"):
        _responses(handler, text, model.used(body))
    elif path.endswith("/chat/completions"):
        _chat(handler, text, model.used(body), streamed=body.get("stream") is True)
    elif path.endswith(":streamGenerateContent"):
        handler.stream(_generated(text, model.used(body)))
    elif path.endswith(":generateContent"):
        handler.json(_generated(text, model.used(body)))
    else:
        handler.json({"totalTokens": model.used(body)})


def _responses(handler: _Handler, text: str, tokens: int) -> None:
    item = {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }  # fmt: skip
    usage = {
        "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 10,
    }  # fmt: skip
    handler.stream(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {"id": "resp_1", "status": "completed", "output": [item], "usage": usage},
        },
        named=True,
    )


def _chat(handler: _Handler, text: str, tokens: int, *, streamed: bool) -> None:
    about = {"id": "chatcmpl-1", "created": 1, "model": "m"}
    usage = {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10}
    message = {"role": "assistant", "content": text}
    if not streamed:
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        handler.json({**about, "object": "chat.completion", "choices": [choice], "usage": usage})
        return
    about["object"] = "chat.completion.chunk"
    handler.stream(
        {**about, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage},
        "[DONE]",
    )


def _generated(text: str, tokens: int) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 10, "totalTokenCount": tokens + 10},
        "modelVersion": "fake",
    }
