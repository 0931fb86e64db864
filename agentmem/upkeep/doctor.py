"""Is everything as it should be? Each check says what it saw and what to do."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentmem.config import Config
from agentmem.errors import AgentmemError, ModelMismatch, ModelUnavailable
from agentmem.models.choose import choose_embedder, choose_language_model
from agentmem.models.language import ModelRole
from agentmem.models.ollama import allowed_host, installed
from agentmem.paths import Home
from agentmem.store import counts, embeddings, migrations, work
from agentmem.store.rows import now
from agentmem.store.store import Store

OK, WARNING, FAILED = "ok", "warning", "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Args:
        name: what.
        state: `ok`, `warning` (works, but not as well as it could) or `failed`.
        detail: what was seen.
        hint: what to do about it.
    """

    name: str
    state: str
    detail: str
    hint: str = ""


def examine(home: Home, config: Config, *, deep: bool = False) -> list[Check]:
    """Look at everything without changing it.

    Args:
        home: the store's place.
        config: the settings in force.
        deep: also compare the parts of the store with each other, which reads all of it.
    """
    store = Store(home, config)
    checks = [_rights(home)]
    if not store.exists():
        checks.append(Check("store", OK, f"nothing is stored yet in {home.data}", "`agentmem ingest FILE` begins."))
        return [*checks, _embedder(config), *_models(config)]
    try:
        checks.extend(_store(store, config, deep=deep))
    except AgentmemError as error:
        checks.append(Check("store", FAILED, error.message, error.hint))
    return checks


def _rights(home: Home) -> Check:
    open_to_others = [path for path in (home.data, home.database) if path.exists() and path.stat().st_mode & 0o077]
    if open_to_others:
        names = " ".join(map(str, open_to_others))
        return Check("rights", WARNING, f"other users may look into {names}", f"`chmod go-rwx {names}` shuts them out.")
    return Check("rights", OK, f"{home.data} is open to its owner only")


def _embedder(config: Config) -> Check:
    try:
        embedder = choose_embedder(config.embedder, config)
        if embedder is not None:
            return Check("embedder", OK, f"{embedder.name} ({embedder.dimension} dimensions)")
    except ModelUnavailable as error:
        return Check("embedder", WARNING, f"search is by words alone: {error.message}", error.hint)
    except AgentmemError as error:
        return Check("embedder", FAILED, error.message, error.hint)
    return Check("embedder", OK, "none is configured: search is by words alone")


def _models(config: Config) -> Iterator[Check]:
    """Whether the language models can be reached, and are there."""
    if config.language_model == "none":
        return
    try:
        host = allowed_host(config.ollama_host, allow_remote=config.allow_remote)
        choose_language_model(config, ModelRole.EXTRACT)
        present = installed(host)
    except AgentmemError as error:
        yield Check("language models", WARNING, error.message, error.hint)
        return
    wanted = {getattr(config, f"model_{role.value}") for role in ModelRole}
    missing = sorted(name for name in wanted if name not in present and f"{name}:latest" not in present)
    if missing:
        pulls = ", ".join(f"`ollama pull {name}`" for name in missing)
        yield Check("language models", WARNING, f"Ollama at {host} lacks {', '.join(missing)}", f"{pulls} gets them.")
    else:
        yield Check("language models", OK, f"Ollama at {host} has {', '.join(sorted(wanted))}")


def _owed_to_models(config: Config, backlog: work.Backlog) -> Iterator[Check]:
    owed = sum(backlog.owed.values())
    if config.language_model == "none" and not owed + backlog.failed:
        return
    last = f"; last error: {backlog.errors[0]}" if backlog.errors else ""
    if backlog.failed:
        yield Check(
            "model work",
            WARNING,
            f"{backlog.failed:,} pieces of sessions failed, {owed:,} are owed{last}",
            "`agentmem work --retry` tries again what failed, best with another model.",
        )
    elif owed:
        yield Check("model work", WARNING, f"{owed:,} pieces of sessions wait for a model{last}", "`agentmem work`.")
    else:
        yield Check("model work", OK, f"nothing is owed; {backlog.calls:,} calls so far, {backlog.failures:,} failed")


def _store(store: Store, config: Config, *, deep: bool) -> Iterator[Check]:
    with store.reading() as connection:
        steps = migrations.recorded(connection)
        held = counts.count(connection)
        memories = sum(many for kinds in held.memories.values() for many in kinds.values())
        yield Check(
            "store",
            OK,
            f"format {len(steps)}; sessions: {held.sessions:,}, messages: {held.messages:,}, memories: {memories:,}",
        )
        generation = embeddings.current(connection)
        growing = embeddings.growing(connection)
        newest = growing or generation
        owed = embeddings.count_owed(connection, newest.no if newest else 0)
        wrong = counts.disagreements(connection) if deep else {}
        backlog = work.backlog(connection, now().astimezone().date())
    yield from _models(config)
    yield from _owed_to_models(config, backlog)
    model = _embedder(config)
    yield model
    if generation is not None and model.state == OK and config.embedder != "none":
        try:
            embeddings.check(newest, model.detail.split(" ", 1)[0])
        except ModelMismatch as error:
            yield Check("vectors", FAILED, error.message, error.hint)
            return
    if owed and config.embedder != "none":
        if growing is not None and generation is not None:
            words = f"{owed:,} documents wait for a vector of {growing.model}; until then {generation.model} serves"
            yield Check("vectors", WARNING, words, "`agentmem reindex` goes on.")
        else:
            yield Check(
                "vectors", WARNING, f"{owed:,} documents wait for their vector", "`agentmem work` computes them."
            )
    else:
        yield Check("vectors", OK, "none is owed")
    if deep:
        for name, many in wrong.items():
            yield Check("consistency", FAILED, f"{many:,} {name}", "Please report this with the log of the last runs.")
        if not wrong:
            yield Check("consistency", OK, "all parts of the store agree")
