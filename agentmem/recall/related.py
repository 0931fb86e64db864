"""The memories that a first prompt is about, for the briefing. Apart from it, because searching needs much more."""

from collections.abc import Callable, Sequence
from datetime import datetime

from agentmem.domain.messages import Trust
from agentmem.domain.recall import MEMORY, Query
from agentmem.errors import ModelMismatch
from agentmem.models.embedder import Embedder
from agentmem.recall.aid import UNAIDED, Aid
from agentmem.recall.analyze import analyze
from agentmem.recall.pipeline import recall
from agentmem.recall.weigh import Rates
from agentmem.store.fulltext import Terms
from agentmem.store.store import Store

_LONGEST_PROMPT = 1_000  # characters that are searched for; a pasted log is not a question


def related(
    store: Store,
    terms: Terms,
    prompt: str,
    *,
    profiles: Sequence[str],
    reference: datetime,
    embedder: Callable[[], Embedder | None],
    most: int,
    aid: Aid = UNAIDED,
    rates: Rates,
) -> tuple[str, ...]:
    """The ids of what is known about a prompt, best first; none when nothing is relevant. Low trust is left out.

    Where the store's vectors come from another model, the prompt's words are searched for alone.
    """

    def ask(text: str) -> Query:
        return analyze(text, terms, profiles=profiles, reference=reference, types=(MEMORY,), limit=most)

    prompt = prompt[:_LONGEST_PROMPT]
    try:
        answer = recall(store, prompt, ask, embedder, rates, aid)
    except ModelMismatch:  # a session can start without what only vectors find
        answer = recall(store, prompt, ask, lambda: None, rates)
    return tuple(hit.id for hit in answer.hits if hit.trust != Trust.LOW)
