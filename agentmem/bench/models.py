"""What a language model costs: its calls, tokens and seconds for the messages of a set, through the ordinary ingest."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentmem.bench.datasets import Dataset
from agentmem.config import Config
from agentmem.errors import ConfigError
from agentmem.memory import Memory
from agentmem.models.choose import choose_language_model
from agentmem.models.language import LanguageModel, ModelRole, Reply

INGEST_ROLES = (ModelRole.EXTRACT, ModelRole.VERIFY, ModelRole.CLASSIFY, ModelRole.MERGE)
"""Those that read sessions; the others read questions."""


@dataclass(slots=True)
class Use:
    """What one role took.

    Args:
        model: its name.
        calls: how often it was asked.
        failed: of these, how often nothing usable came.
        prompt_tokens: read, as the server counts them.
        reply_tokens: written.
        seconds: of all calls together; several run at once.
    """

    model: str
    calls: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The cost of a set.

    Args:
        dataset: its name.
        messages: that were read.
        seconds: from the first call to the last.
        uses: by role.
        memories: that the models added to those of the rules.
        owed: pieces of work that were left, because there was no time or no server.
        note: why, in a sentence; else empty.
    """

    dataset: str
    messages: int
    seconds: float
    uses: Mapping[str, Use] = field(default_factory=dict)
    memories: int = 0
    owed: int = 0
    note: str = ""

    @property
    def total(self) -> Use:
        """All roles together."""
        whole = Use(", ".join(dict.fromkeys(use.model for use in self.uses.values())))
        for use in self.uses.values():
            whole.calls += use.calls
            whole.failed += use.failed
            whole.prompt_tokens += use.prompt_tokens
            whole.reply_tokens += use.reply_tokens
            whole.seconds += use.seconds
        return whole

    def per_thousand(self, amount: float) -> float:
        """An amount for 1,000 messages."""
        return 1_000 * amount / self.messages if self.messages else 0.0


@dataclass(frozen=True, slots=True)
class ModelCosts:
    """What models cost on each set."""

    sets: tuple[ModelCost, ...]


class Meter:
    """Gives the models of roles, and counts what each is asked. May be used from several threads.

    Args:
        choose: the model of a role.
    """

    def __init__(self, choose: Callable[[ModelRole], LanguageModel | None]) -> None:
        self._choose = choose
        self._lock = threading.Lock()
        self._models: dict[ModelRole, LanguageModel | None] = {}
        self.uses: dict[str, Use] = {}

    def __call__(self, role: ModelRole) -> LanguageModel | None:
        """The model of a role, metered."""
        with self._lock:
            if role not in self._models:
                model = self._choose(role)
                self._models[role] = None if model is None else _Metered(self, role, model)
            return self._models[role]

    def count(self, role: ModelRole, model: str, reply: Reply | None, seconds: float) -> None:
        """Count a call; no reply means that it failed."""
        with self._lock:
            use = self.uses.setdefault(role.value, Use(model))
            use.calls += 1
            use.failed += reply is None
            use.seconds += seconds
            if reply is not None:
                use.prompt_tokens += reply.prompt_tokens
                use.reply_tokens += reply.reply_tokens


class _Metered:
    def __init__(self, meter: Meter, role: ModelRole, model: LanguageModel) -> None:
        self.name = model.name
        self._meter = meter
        self._role = role
        self._model = model

    def ask(self, prompt: str, *, schema: Mapping[str, Any] | None = None, seconds: float | None = None) -> Reply:
        began = time.monotonic()
        reply = None
        try:
            reply = self._model.ask(prompt, schema=schema, seconds=seconds)
        finally:
            self._meter.count(self._role, self.name, reply, time.monotonic() - began)
        return reply

    def stop(self) -> None:
        """Give up what is being waited for, where the model can."""
        stop = getattr(self._model, "stop", None)
        if stop is not None:
            stop()


def named(config: Config, model: str | None) -> Config:
    """The settings with one model in all roles that read sessions, and no limit of a day.

    Raises:
        ConfigError: the settings name no server.
    """
    config = replace(config, budget_minutes_per_day=0.0)
    if config.language_model == "none":
        raise ConfigError(
            "No language model is configured, so there is nothing to measure",
            "`agentmem config set language_model ollama` names the server.",
        )
    if model is None:
        return config
    roles: dict[str, Any] = {f"model_{role.value}": model for role in INGEST_ROLES}
    return replace(config, **roles)


def measure(
    dataset: Dataset,
    home: Path,
    config: Config,
    *,
    most: int = 1_000,
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ModelCost:
    """Let the models read a set's first messages.

    Args:
        dataset: the set.
        home: where the store is made; it should be empty.
        config: the settings, the models above all; see `named`.
        most: at most so many messages, in the order of the set.
        seconds: begin nothing new after so long; None: until all is read.
        progress: called with the pieces of work done, and those known to be owed.
    """
    meter = Meter(lambda role: choose_language_model(config, role))
    taken = 0
    memory = Memory(Memory.open(home, config=config).home, config, "bench", models=meter)
    for name, lines in dataset.conversations.items():
        some = lines[: most - taken]
        if not some:
            break
        memory = Memory(memory.home, config, f"conversation {name}", models=meter)
        memory.ingest(some, source=dataset.name)
        taken += len(some)
    memory.work()
    began = time.perf_counter()
    paid = memory.pay(seconds=seconds, progress=progress)
    return ModelCost(
        dataset=dataset.name,
        messages=taken,
        seconds=time.perf_counter() - began,
        uses=meter.uses,
        memories=paid.found.memories,
        owed=paid.owed,
        note=paid.note,
    )
