"""Language models of an Ollama server, through its official client.

Ollama cuts a prompt that is longer than `num_ctx` without a word, so that is computed from each prompt, and what the
server says it read is compared with it. `num_ctx` grows in powers of two: another value makes Ollama load the model
anew. Temperature 0 and a seed: the same prompt gets the same answer, as far as the server can.

Nothing is sent through a proxy and no redirect is followed: what is remembered goes to the configured host alone.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Event
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agentmem.errors import BadReply, ConfigError, ModelUnavailable, NoAnswerInTime
from agentmem.models.language import Reply

if TYPE_CHECKING:
    from ollama import Client

LOCAL = "127.0.0.1:11434"
KEEP_ALIVE = "10m"
SEED = 7
REPLY_TOKENS = 2_048
"""The longest answer; small models that cannot find an end would go on for ever."""

_LEAST_CONTEXT = 4_096
_TEMPLATE_TOKENS = 256  # what a model's chat template puts around a prompt, and room for error
_TRIES = 3
_FIRST_PAUSE = 0.25  # seconds; doubles
_CONNECT = 5.0
_GLANCE = 1.0  # seconds; to see what is in memory
_BUSY = {408, 425, 429, 500, 502, 503, 504}
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)
_QUOTED = 4_000  # characters of a bad reply that a model is shown again


def allowed_host(host: str, *, allow_remote: bool) -> str:
    """The host to talk to, for the client.

    Args:
        host: as configured; empty: this machine.
        allow_remote: whether it may be another machine.

    Raises:
        ConfigError: it is one, and may not be.
    """
    host = host.strip() or LOCAL
    name = urlsplit(host if "://" in host else f"//{host}").hostname or "127.0.0.1"
    if name in ("0.0.0.0", "::"):  # noqa: S104 - what a server listens on stands in the same variable
        return host.replace(name, "127.0.0.1" if name == "0.0.0.0" else "::1", 1)  # noqa: S104
    if not allow_remote and name != "localhost" and not _is_loopback(name):
        raise ConfigError(
            f"Ollama's host {host} is another machine, which would get to read what is remembered",
            "`agentmem config set allow_remote true` permits that; `agentmem config set ollama_host "
            f"{LOCAL}` stays on this one.",
        )
    return host


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:  # a name, like 127.0.0.1.example.com
        return False


def connect(host: str, seconds: float) -> "Client":
    """A client whose every step may take so long."""
    import httpx
    from ollama import Client

    limits = httpx.Timeout(seconds, connect=min(seconds, _CONNECT))
    # Without TLS no certificates need to be loaded, which would take 20 ms.
    return Client(host, timeout=limits, trust_env=False, follow_redirects=False, verify=host.startswith("https://"))


def installed(host: str) -> frozenset[str]:
    """The names of the models that a server has.

    Raises:
        ModelUnavailable: it cannot be reached.
    """
    with connect(host, _CONNECT) as client, told_apart(host, "any"):
        return frozenset(model.model or "" for model in client.list().models)


@contextmanager
def told_apart(host: str, model: str) -> Iterator[None]:
    """Turn what the client raises into this program's errors.

    Raises:
        ModelUnavailable: the server cannot be reached, is busy, or lacks the model.
        NoAnswerInTime: it took too long.
        BadReply: it refuses the request.
    """
    import httpx
    from ollama import ResponseError

    try:
        yield
    except ResponseError as error:
        if error.status_code == 404:
            raise ModelUnavailable(f"Ollama at {host} has no model {model!r}", f"`ollama pull {model}` gets it.") from (
                error
            )
        said = f"Ollama at {host} says about {model}: {error.error}"
        if error.status_code in _BUSY or error.status_code < 0:
            raise _Passing(said) from error
        raise BadReply(said) from error
    except httpx.ConnectTimeout as error:
        raise _unreachable(host) from error
    except httpx.TimeoutException as error:
        raise NoAnswerInTime(
            f"{model} did not answer in time", "A smaller model, or a larger setting `model_seconds`, helps."
        ) from error
    except (ConnectionError, httpx.TransportError) as error:
        raise _unreachable(host) from error
    except (httpx.HTTPError, json.JSONDecodeError, ValueError) as error:
        raise BadReply(f"What answers at {host} does not speak Ollama's language: {error}") from error


class _Passing(ModelUnavailable):
    """Trouble that may be over in a moment."""


def _unreachable(host: str) -> ModelUnavailable:
    return _Passing(
        f"Ollama cannot be reached at {host}", "`ollama serve` starts it; until then the rules do what they can."
    )


class OllamaModel:
    """A language model.

    Args:
        host: of the server.
        name: of the model, as `qwen3:4b`.
        seconds: how long an answer may take.
    """

    def __init__(self, host: str, name: str, seconds: float = 300.0) -> None:
        self.name = name
        self._host = host
        self._seconds = seconds
        self._stopped = Event()
        self._window: int | None = None

    def stop(self) -> None:
        """Give up the answers that are being waited for, at their next word."""
        self._stopped.set()

    def ask(self, prompt: str, *, schema: Mapping[str, Any] | None = None, seconds: float | None = None) -> Reply:
        """Answer a prompt; see `agentmem.models.language.LanguageModel`."""
        call = _Call(self, time.monotonic() + (self._seconds if seconds is None else seconds))
        said: list[dict[str, str]] = [{"role": "user", "content": prompt}]
        text = call.say(said, schema)
        if schema is None:
            return call.reply(text)
        data, wrong = _read(text, schema)
        if data is None:
            again = f"That is not what was asked for: {wrong}. Answer again, with the JSON object alone."
            said += [{"role": "assistant", "content": text[:_QUOTED]}, {"role": "user", "content": again}]
            text = call.say(said, schema)
            data, wrong = _read(text, schema)
        if data is None:
            raise BadReply(f"{self.name} did not answer in the form that was asked for: {wrong}")
        return call.reply(text, data)

    def loaded(self) -> bool:
        """Whether the server has the model in memory, so that it can answer at once.

        Raises:
            ModelUnavailable: it cannot be reached, or does not say so within a second.
        """
        with connect(self._host, _GLANCE) as client, told_apart(self._host, self.name):
            running = {one.model or "" for one in client.ps().models}
        return self.name in running or f"{self.name}:latest" in running

    def window(self, client: "Client") -> int:
        """How many tokens the model can see at all, as far as the server tells; else very many."""
        if self._window is None:
            from ollama import ResponseError

            self._window = 1 << 30
            try:
                about = client.show(self.name).modelinfo or {}
            except ResponseError:
                about = {}
            lengths = [int(value) for key, value in about.items() if key.endswith(".context_length")]
            self._window = min([*lengths, self._window])
        return self._window


class _Call:
    """One question with whatever it takes to get it answered."""

    def __init__(self, model: OllamaModel, deadline: float) -> None:
        self._model = model
        self._began = time.monotonic()
        self._deadline = deadline
        self._prompt_tokens = 0
        self._reply_tokens = 0

    def reply(self, text: str, data: Mapping[str, Any] | None = None) -> Reply:
        return Reply(text, data, self._prompt_tokens, self._reply_tokens, time.monotonic() - self._began)

    def say(self, said: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None) -> str:
        """What the model says, with the context that it needs, and again where a server is only busy."""
        context = context_for("".join(one["content"] for one in said))
        pause = _FIRST_PAUSE
        tries = 1
        while True:
            try:
                text, whole = self._once(said, schema, context)
            except _Passing:
                if tries == _TRIES or time.monotonic() + pause > self._deadline:
                    raise
                if self._model._stopped.wait(pause):  # noqa: SLF001 - two halves of one thing
                    raise
                tries, pause = tries + 1, pause * 2
                continue
            if whole:
                return text
            if context * 2 > self._model._window:  # type: ignore[operator]  # noqa: SLF001
                raise BadReply(
                    f"The prompt is longer than what {self._model.name} can see ({self._model._window:,} tokens)",  # noqa: SLF001
                    "A model with a longer context is needed.",
                )
            context *= 2

    def _once(
        self, said: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None, context: int
    ) -> tuple[str, bool]:
        left = self._deadline - time.monotonic()
        name, host = self._model.name, self._model._host  # noqa: SLF001
        if left <= 0:
            raise NoAnswerInTime(f"{name} did not answer in time")
        pieces: list[str] = []
        read = 0
        with connect(host, left) as client, told_apart(host, name):
            window = self._model.window(client)
            parts = client.chat(
                name,
                said,
                stream=True,
                think=False,
                format=dict(schema) if schema is not None else None,
                options={"temperature": 0, "seed": SEED, "num_ctx": context, "num_predict": REPLY_TOKENS},
                keep_alive=KEEP_ALIVE,
            )
            for part in parts:
                pieces.append(part.message.content or "")
                read = part.prompt_eval_count or read
                self._reply_tokens += part.eval_count or 0
                if self._model._stopped.is_set():  # noqa: SLF001
                    raise ModelUnavailable("Stopped")
                if time.monotonic() > self._deadline:
                    raise NoAnswerInTime(
                        f"{name} did not answer in time",
                        "A smaller model, or a larger setting `model_seconds`, helps.",
                    )
        self._prompt_tokens += read
        # A server that tells nothing has the prompt in its cache from another question, so had it whole.
        return _THOUGHT.sub("", "".join(pieces)).strip(), not read or read < min(context, window)


def context_for(prompt: str) -> int:
    """`num_ctx` for a prompt: enough for it and the longest answer, in powers of two from 4,096.

    Three letters a token for Latin script and two tokens a letter for others is more than any usual tokenizer makes.
    """
    ascii_letters = len(prompt.encode("ascii", "ignore"))
    need = ascii_letters // 3 + 2 * (len(prompt) - ascii_letters) + REPLY_TOKENS + _TEMPLATE_TOKENS
    context = _LEAST_CONTEXT
    while context < need:
        context *= 2
    return context


def _read(text: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The object in a reply, or what is wrong with it."""
    import jsonschema

    fenced = _FENCE.match(text)
    body = fenced[1] if fenced else text
    try:
        data = json.loads(body)
    except ValueError as error:
        start, end = body.find("{"), body.rfind("}")
        try:
            data = json.loads(body[start : end + 1])
        except ValueError:
            return None, f"it is not valid JSON ({error})"
    try:
        problem = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(data))
    except RecursionError:
        return None, "it is nested too deeply"
    if problem is not None:
        return None, f"{problem.json_path}: {problem.message[:200]}"
    if not isinstance(data, dict):
        return None, "it is not an object"
    return data, ""
