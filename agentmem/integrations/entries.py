"""Own entries in a JSON document: put in, brought up to date, taken out.

What is put in comes last in its list: Codex remembers the trust in a hook by its place, so that of others must not
move. An entry that has to change changes where it stands, for the same reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmem.integrations import jsonc, own
from agentmem.integrations.jsonc import Path, Unreadable

LEAST_MILLISECONDS = 1_000
"""No hook is given less time; a smaller number was meant as seconds."""


@dataclass(frozen=True, slots=True)
class Made:
    """A container that had to be made or filled, so that taking the entries out can undo that too.

    Args:
        path: where it stands.
        was: its text before (`{ }`); None if it was not there.
    """

    path: tuple[str, ...]
    was: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shall stand in a JSON document.

    Args:
        hooks: event -> the entry in its list.
        milliseconds: whether their `timeout` is in milliseconds.
        server: the name of the table of MCP servers and the entry in it.
        beside: plain members that the document must have for its agent to read it.
    """

    hooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    milliseconds: bool = False
    server: tuple[str, Mapping[str, Any]] | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


def put(text: str, wanted: Wanted) -> tuple[str, list[Made]]:
    """The document with what is wanted, and the containers that had to be made for it.

    Raises:
        Unreadable: the document is no JSON, or has something else where the entries belong.
    """
    made: list[Made] = []
    if not text.strip():
        made.append(Made((), text))
        text = "{}" + (text or "\n")
    elif jsonc.parse(text).opener != "{":
        raise Unreadable("it holds no object")
    if wanted.hooks:
        for name, value in wanted.beside.items():
            if jsonc.parse(text).at((name,)) is None:
                text = _add(text, (name,), value, made)
    for event, entry in wanted.hooks.items():
        text = _put_hook(text, ("hooks", event), entry, made, milliseconds=wanted.milliseconds)
    if wanted.server:
        text = _put_server(text, (wanted.server[0], own.NAME), wanted.server[1], made)
    return text, made


def strip(text: str, made: Sequence[Made] | None) -> str:
    """The document without any own entry; all else stays.

    Args:
        text: the document.
        made: the containers that were made for them; None if nobody knows.

    Raises:
        Unreadable: the document is no JSON.
    """
    if not text.strip():
        return text
    root = jsonc.parse(text)
    touched: list[tuple[str, ...]] = []
    for path in list(own.events(root)):
        places = _own_places(text, path)
        for place in reversed(places):
            text = jsonc.remove(text, place)
        if places:
            touched.append((str(path[0]), str(path[1])))
    if touched:
        touched.append(("hooks",))
    for table in own.MCP_TABLES:
        entry = root.at((table, own.NAME))
        if entry is not None and own.is_server(entry.value):
            text = jsonc.remove(text, (table, own.NAME))
            touched.append((table,))
    for path in touched:
        text = _tidy(text, path, made)
    return _tidy_root(text, made or ()) if touched else text


def has_own(text: str) -> bool:
    """Whether a document holds an own entry.

    Raises:
        Unreadable: the document is no JSON.
    """
    return own.NAME in text and strip(text, []) != text


def fits(handler: Any, matcher: Any, wanted: Mapping[str, Any], *, milliseconds: bool) -> bool:
    """Whether a hook does what the wanted entry does; how long it may take is the user's to choose."""
    group = wanted.get("hooks")
    aim = group[0] if isinstance(group, list) else wanted
    allowed = handler.get("timeout") if milliseconds else None
    hasty = isinstance(allowed, int | float) and allowed < LEAST_MILLISECONDS
    return own.calls(handler) == own.calls(aim) and matcher in (None, "", "*") and not hasty


def _put_hook(text: str, path: Path, entry: Mapping[str, Any], made: list[Made], *, milliseconds: bool) -> str:
    node = jsonc.parse(text).at(path)
    if node is not None and node.opener != "[":
        raise Unreadable(f"{'.'.join(map(str, path))} is no list")
    found = list(own.handlers(node.value if node else [], path))
    good = [place for _, place, handler, matcher in found if fits(handler, matcher, entry, milliseconds=milliseconds)]
    if not good:
        stale = [whole for whole, *_ in found if len(whole) == len(path) + 1]
        text = jsonc.replace(text, stale[0], entry) if stale else _add_item(text, path, entry, made)
        return _put_hook(text, path, entry, made, milliseconds=milliseconds)  # now there is a good one
    group = good[0][: len(path) + 1]
    surplus = {place if whole == group else whole for whole, place, *_ in found if place != good[0]}
    for place in sorted(surplus, reverse=True):
        text = jsonc.remove(text, place)
    return text


def _put_server(text: str, path: tuple[str, ...], entry: Mapping[str, Any], made: list[Made]) -> str:
    node = jsonc.parse(text).at(path)
    if node is None:
        return _add(text, path, entry, made)
    if not own.is_server(node.value):
        raise Unreadable(f"{'.'.join(path)} is another program's")
    held = node.value
    for key, value in entry.items():
        if key not in held:
            continue  # what the user left out has its usual value
        if held[key] != value and key in ("command", "args"):
            text = jsonc.replace(text, (*path, key), value)
    return text


def _add_item(text: str, path: Path, entry: Any, made: list[Made]) -> str:
    steps = tuple(map(str, path))
    node = jsonc.parse(text).at(path)
    if node is None:
        return _add(text, steps, [entry], made)
    if not node.parts:
        made.append(Made(steps, jsonc.literal(text, node)))
    return jsonc.put(text, (*path, len(node.parts)), entry)


def _add(text: str, path: tuple[str, ...], value: Any, made: list[Made]) -> str:
    """Add a member, and the objects on the way to it that are not there."""
    root = jsonc.parse(text)
    depth = len(path) - 1
    while root.at(path[:depth]) is None:
        depth -= 1
    holder = root.at(path[:depth])
    if holder is not None and not holder.parts and path[:depth] not in [one.path for one in made]:
        made.append(Made(path[:depth], jsonc.literal(text, holder)))
    deepest = len(path) - (1 if isinstance(value, dict) else 0)  # an entry goes by itself, its container does not
    made.extend(Made(path[:length], None) for length in range(depth + 1, deepest + 1))
    for step in reversed(path[depth + 1 :]):
        value = {step: value}
    return jsonc.put(text, path[: depth + 1], value)


def _own_places(text: str, path: Path) -> list[Path]:
    node = jsonc.parse(text).at(path)
    found = {whole for whole, *_ in own.handlers(node.value, path)} if node else set()
    return sorted(found)


def _tidy(text: str, path: tuple[str, ...], made: Sequence[Made] | None) -> str:
    """Undo the making of a container that is empty again."""
    node = jsonc.parse(text).at(path)
    if node is None or node.parts:
        return text
    known = next((one for one in made or () if one.path == path), None)
    if known and known.was is not None:
        return _as_it_was(text, path, known.was)
    return jsonc.remove(text, path) if jsonc.is_bare(text, node) and (known or made is None) else text


def _as_it_was(text: str, path: tuple[str, ...], was: str) -> str:
    """Give an emptied container its old text, unless a comment came or went meanwhile."""
    node = jsonc.parse(text).at(path)
    now = jsonc.literal(text, node) if node else ""
    return jsonc.write(text, path, was) if "".join(now.split()) == "".join(was.split()) else text


def _tidy_root(text: str, made: Sequence[Made]) -> str:
    root = jsonc.parse(text)
    paths = {one.path for one in made}
    events = (root.at(path) for path in own.events(root))
    if not any(event.parts for event in events if event):  # else other hooks may need "version" by now
        for part in reversed(root.parts):
            if (part.key,) in paths and not part.value.opener:
                text = jsonc.remove(text, (str(part.key),))
    root = jsonc.parse(text)
    first = next((one for one in made if one.path == ()), None)
    if first is None or first.was is None or root.parts:
        return text
    if first.was.strip():
        return _as_it_was(text, (), first.was)
    return first.was if "".join(text.split()) == "{}" else text


def as_data(made: Sequence[Made]) -> list[dict[str, Any]]:
    """For the record of what was installed."""
    return [{"path": list(one.path), "was": one.was} for one in made]


def from_data(data: Any) -> list[Made]:
    """From the record of what was installed."""
    return [Made(tuple(map(str, one["path"])), one["was"]) for one in data]
