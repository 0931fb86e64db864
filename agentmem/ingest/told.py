"""Stage for what other tools remembered: statements become memories, some hundred in a transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import MemoryItem, MemoryKind
from agentmem.domain.text import clean, normalise
from agentmem.domain.told import Told
from agentmem.ingest.propose import propose
from agentmem.ingest.remember import LONGEST, guessed
from agentmem.ingest.supersede import Proposal
from agentmem.store import sessions
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Store

_AT_ONCE = 500


@dataclass(slots=True)
class TakenIn:
    """What became of statements.

    Args:
        new: new memories.
        known: statements that are stored already, or were there twice.
        refused: those whose value was forgotten here.
        superseded: memories that a newer one replaced.
        too_long: statements with more characters than a memory may have.
    """

    new: int = 0
    known: int = 0
    refused: int = 0
    superseded: int = 0
    too_long: int = 0


def take_in(store: Store, terms: Terms, statements: Sequence[Told], *, profile: str, extractor: str) -> TakenIn:
    """Store statements as memories of a profile. What was forgotten stays forgotten.

    Statements that stand side by side all hold: a topic that the rules find in several of them supersedes nothing.
    """
    done = TakenIn()
    proposals: dict[str, Proposal] = {}
    texts = [store.redact(clean(told.text)).strip() for told in statements]
    guesses = [guessed(text[:LONGEST], told.at or now()) for text, told in zip(texts, statements, strict=True)]
    often = Counter({guess.topic_key: 0 for guess in guesses})
    often.update(key for key, _ in {(guess.topic_key, text) for guess, text in zip(guesses, texts, strict=True)})
    for told, text, guess in zip(statements, texts, guesses, strict=True):
        if not text or len(text) > LONGEST:
            done.too_long += bool(text)
            continue
        kind = told.kind or guess.kind
        key = (told.topic_key and store.redact(told.topic_key)) or (
            guess.topic_key if often[guess.topic_key] == 1 else None
        )
        at = told.at or now()
        item = MemoryItem(
            id=memory_id(profile, kind, key, normalise(text)),
            profile=profile,
            kind=kind,
            content=text,
            topic_key=key,
            importance=guess.importance if told.importance is None else told.importance,
            occurred_at=guess.occurred_at,
            valid_from=at,
            created_at=now(),
            expires_at=guess.expires_at if kind is MemoryKind.TASK else None,
            trust=told.trust,
            extractor=extractor,
        )
        queries = tuple(dict.fromkeys((*(store.redact(clean(query)) for query in told.queries), *guess.search_queries)))
        proposals.setdefault(item.id, Proposal(item=item, said_at=at, search_queries=queries))
    ordered = sorted(proposals.values(), key=lambda proposal: proposal.said_at)
    for start in range(0, len(ordered), _AT_ONCE):
        batch = ordered[start : start + _AT_ONCE]
        with store.writing() as connection:
            sessions.ensure_profile(connection, profile)
            plan = propose(connection, batch, terms, actor="import")
        done.new += len(plan.added)
        done.refused += plan.refused
        done.superseded += len(plan.changed)
    done.known = len(statements) - done.new - done.refused - done.too_long
    return done
