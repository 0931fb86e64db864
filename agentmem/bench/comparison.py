"""A run against an earlier one, that was kept with `--json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.bench.retrieval import Result
from agentmem.errors import BadInput


@dataclass(frozen=True, slots=True)
class Gain:
    """One measure of one set, then and now; `sure`: the two 95% intervals do not overlap."""

    dataset: str
    level: str
    measure: str
    before: float
    after: float
    sure: bool


def earlier(file: Path) -> Mapping[str, Mapping[str, Any]]:
    """The sets of an earlier run, by name.

    Raises:
        BadInput: the file is no such run.
    """
    try:
        return {one["dataset"]: one for one in json.loads(file.read_text(encoding="utf-8"))["sets"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{file} is not a run of `agentmem bench recall --json`: {error}",
            "Keep one with `agentmem bench recall DATA_DIR --json > FILE`.",
        ) from error


def compared(results: Sequence[Result], before: Mapping[str, Mapping[str, Any]]) -> tuple[Gain, ...]:
    """The measures that both runs have."""
    return tuple(difference for one in results if one.dataset in before for difference in _of(one, before[one.dataset]))


def _of(now: Result, then: Mapping[str, Any]) -> Iterator[Gain]:
    for name, level in (("turns", now.turns), ("sessions", now.sessions)):
        old = (then.get(name) or {}).get("overall", {})
        for measure, mean in (level.overall if level else {}).items():
            if measure in old:
                was = old[measure]
                sure = mean.low > was["high"] or mean.high < was["low"]
                yield Gain(now.dataset, name, measure, was["value"], mean.value, sure)
    for measure, after in now.milliseconds.items():
        if measure in then.get("milliseconds", {}):
            yield Gain(now.dataset, "milliseconds", measure, then["milliseconds"][measure], after, sure=False)
