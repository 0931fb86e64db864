"""Retrieval sets: conversations, and questions whose evidence is known.

A set NAME is two files of JSON lines, plain or gzipped:

* `NAME_sessions.jsonl[.gz]`, a line a turn: `conv, session, date, turn_id, role, speaker, text`;
* `NAME_questions.jsonl[.gz]`: `conv, qid, question, question_date, category_name, evidence, evidence_sessions`.

A conversation (`conv`) is a profile of its own, and a question is put to the profile of its conversation.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.errors import BadInput, NotFound

_ROLES = ("user", "assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns, and the sessions, that answer it; without any it is unanswerable or unlabelled."""

    conversation: str
    text: str
    category: str
    date: str | None
    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set: its messages by conversation, in the generic shape of a transcript line, and its questions."""

    name: str
    conversations: Mapping[str, Sequence[Mapping[str, object]]]
    questions: Sequence[Question]


def names(folder: Path) -> list[str]:
    """The sets that a folder holds.

    Raises:
        NotFound: none.
    """
    found = sorted({file.name.split("_sessions.jsonl")[0] for file in folder.glob("*_sessions.jsonl*")})
    if not found:
        raise NotFound(f"{folder} holds no retrieval set", "A set is NAME_sessions.jsonl and NAME_questions.jsonl.")
    return found


def load(folder: Path, name: str) -> Dataset:
    """Read a set.

    Raises:
        NotFound: it is not there.
        BadInput: a line of it cannot be read.
    """
    conversations: dict[str, list[Mapping[str, object]]] = {}
    for row in _rows(folder, f"{name}_sessions"):
        conversations.setdefault(str(row["conv"]), []).append(_message(row))
    questions = [
        Question(
            conversation=str(row["conv"]),
            text=row["question"],
            category=row.get("category_name") or "all",
            date=row.get("question_date"),
            turns=frozenset(map(str, row.get("evidence") or ())),
            sessions=frozenset(map(str, row.get("evidence_sessions") or ())),
        )
        for row in _rows(folder, f"{name}_questions")
    ]
    return Dataset(name, conversations, questions)


def _message(row: Mapping[str, Any]) -> Mapping[str, object]:
    """A turn as a line of a generic transcript; a role that is none (`a`, `b`) is a person with a name."""
    message = {"content": row["text"], "id": str(row["turn_id"]), "session_id": str(row["session"])}
    if row.get("date"):
        message["timestamp"] = row["date"]
    if row["role"] in _ROLES:
        return {"role": row["role"], **message}
    return {"role": "user", "speaker": row.get("speaker") or row["role"], **message}


def _rows(folder: Path, stem: str) -> Iterator[dict[str, Any]]:
    for file in (folder / f"{stem}.jsonl.gz", folder / f"{stem}.jsonl"):
        if file.exists():
            break
    else:
        raise NotFound(f"{folder / stem}.jsonl is not there", f"Sets in {folder}: {', '.join(names(folder))}.")
    unpacked = gzip.open if file.suffix == ".gz" else open
    with unpacked(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise BadInput(f"{file}, line {number} is not JSON: {error}", "The set is damaged.") from error
