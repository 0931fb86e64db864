"""How much of a stream is prepared and written at one go."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from agentmem.domain.messages import Message
from agentmem.errors import StoreBusy
from agentmem.store.store import Connection

Prepared = TypeVar("Prepared")

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


@dataclass(frozen=True, slots=True)
class Held(Generic[Prepared]):
    """What waits for the next transaction.

    Args:
        source: the stream that it belongs to.
        prepared: a batch of the stream, by session.
        begins: whether the stream begins with it.
        then: what else is to be written, after all that came before.
    """

    source: str
    prepared: Sequence[Prepared] = ()
    begins: bool = False
    then: Callable[[Connection], None] = lambda _connection: None


class Gathered(Generic[Prepared]):
    """Batches of several streams that are to be written at one go: a transaction for each of many short ones would take
    longer than all else.

    Args:
        settle: writes such batches in one transaction.
    """

    def __init__(self, settle: Callable[[Sequence[Held[Prepared]]], None]) -> None:
        self._settle = settle
        self._held: list[Held[Prepared]] = []
        self._messages = 0
        self._characters = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to write."""
        return self._messages >= BATCH_MESSAGES or self._characters >= BATCH_CHARACTERS

    def hold(self, one: Held[Prepared], batch: Sequence[Message] = ()) -> None:
        """Hold something back, which was made of a batch of messages."""
        self._held.append(one)
        self._messages += len(batch)
        self._characters += sum(len(message.content) for message in batch)

    def flush(self) -> list[tuple[str, Exception]]:
        """Write what is held. Where that fails, each stream is tried alone.

        Returns:
            The sources of which something could not be stored, and why. The others are.

        Raises:
            StoreBusy: another process holds the store; nothing was stored, and what was held is given up.
        """
        held, self._held, self._messages, self._characters = self._held, [], 0, 0
        try:
            if held:
                self._settle(held)
        except StoreBusy:
            raise
        except Exception as error:  # noqa: BLE001 - what one stream holds must not keep the others out
            sources = list(dict.fromkeys(one.source for one in held))
            if len(sources) == 1:
                return [(sources[0], error)]
            failed = []
            for source in sources:
                self._held = [one for one in held if one.source == source]
                failed += self.flush()
            return failed
        return []
