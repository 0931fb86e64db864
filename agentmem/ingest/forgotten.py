"""Stage: what was forgotten is known again when it is said again, in these words or in slightly other ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentmem.domain.memories import Candidate
from agentmem.ingest import statements
from agentmem.store import tombstones
from agentmem.store.messages import Arrival, Incoming
from agentmem.store.store import Connection
from agentmem.store.tombstones import Grave

Claim = tuple[str, str | None, str]
"""Profile, topic key and content of what may have been forgotten."""


def find_graves(connection: Connection, claims: Sequence[Claim]) -> list[Grave | None]:
    """The grave of each claim that was forgotten, by its words, by its topic and value, or by a phrase in it."""
    lengths = tombstones.phrase_lengths(connection, {profile for profile, _, _ in claims})
    digests = [
        {
            *statements.digests(profile, key, content),
            *(statements.phrases(profile, content, lengths[profile]) if profile in lengths else ()),
        }
        for profile, key, content in claims
    ]
    buried = tombstones.buried(connection, set().union(*digests))
    return [_worst([buried[one] for one in own if one in buried]) for own in digests]


def _worst(graves: Sequence[Grave]) -> Grave | None:
    return max(graves, key=lambda grave: (grave.purged, grave.id or ""), default=None)


def strike(
    connection: Connection, arrivals: Sequence[Arrival], candidates: Sequence[Mapping[str, Sequence[Candidate]]]
) -> tuple[list[Arrival], list[tuple[int, str, str | None]]]:
    """Take what was purged out of messages before any of it is written, and find those that are to be hidden.

    A message is struck if it contains a forgotten phrase, or if a memory drawn from it says a purged value.

    Args:
        connection: to read tombstones from.
        arrivals: the messages that want to be stored.
        candidates: of each arrival, what its messages say, by message id.

    Returns:
        The arrivals, without the content of purged messages; and what `agentmem.store.messages.hide` wants to know
        once they are stored.
    """
    profiles = {arrival.profile for arrival in arrivals}
    lengths = tombstones.phrase_lengths(connection, profiles)
    purged = tombstones.any_purged(connection, profiles)
    if not lengths and not purged:
        return list(arrivals), []
    clean: list[Arrival] = []
    struck: list[tuple[int, str, str | None]] = []
    for arrival, said in zip(arrivals, candidates, strict=True):
        profile = arrival.profile
        looked_for = lengths.get(profile, ())
        phrases = {one.id: statements.phrases(profile, one.message.content, looked_for) for one in arrival.incoming}
        claims = {
            one.id: {
                digest
                for claim in said.get(one.id, ())
                for digest in statements.digests(profile, claim.topic_key, claim.content)
            }
            for one in arrival.incoming
        }
        graves = tombstones.buried(connection, set().union(*phrases.values(), *claims.values()))
        incoming: list[Incoming] = []
        for one in arrival.incoming:
            grave = _worst(
                [
                    *(graves[found] for found in phrases[one.id] if found in graves),
                    *(graves[found] for found in claims[one.id] if found in graves and graves[found].purged),
                ]
            )
            if grave is not None:
                struck.append((arrival.place.no, one.id, grave.id if grave.purged else None))
            incoming.append(_blank(one) if grave is not None and grave.purged else one)
        clean.append(replace(arrival, incoming=incoming))
    return clean, struck


def _blank(one: Incoming) -> Incoming:
    return replace(one, message=replace(one.message, content="", speaker=None), terms=[])
