"""How much of a stream is prepared and written at one go."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from agentmem.domain.messages import Message

BATCH_MESSAGES = 4_000
BATCH_CHARACTERS = 4_000_000


def batches(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """A stream cut into batches, the last of which may be small."""
    batch: list[Message] = []
    size = 0
    for message in messages:
        batch.append(message)
        size += len(message.content)
        if len(batch) >= BATCH_MESSAGES or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def by_session(batch: Sequence[Message]) -> Iterator[list[Message]]:
    """The batch split by session, each in its order."""
    found: dict[str, list[Message]] = defaultdict(list)
    for message in batch:
        found[message.session_id].append(message)
    return iter(found.values())
