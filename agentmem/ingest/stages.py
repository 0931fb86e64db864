"""The only list of stages, each with what does it by rule and what does it by model.

The rules run while a transcript is read, over every message. The models run later, over the pieces that `owe` notes,
when `pay` finds the time; where a model's answer to classification or judging is no use, the rule's counts.
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

from agentmem.ingest.classify import classify
from agentmem.ingest.classify_by_model import classify_by_model
from agentmem.ingest.extract import extract
from agentmem.ingest.extract_by_model import extract_by_model
from agentmem.ingest.judge import judge, judge_by_model
from agentmem.ingest.verify import verify
from agentmem.ingest.verify_by_model import verify_by_model

_Rule = TypeVar("_Rule")
_Model = TypeVar("_Model")


@dataclass(frozen=True, slots=True)
class Stage(Generic[_Rule, _Model]):
    """A stage and its two ways."""

    name: str
    by_rule: _Rule
    by_model: _Model


EXTRACT = Stage("extract", extract, extract_by_model)
VERIFY = Stage("verify", verify, verify_by_model)
CLASSIFY = Stage("classify", classify, classify_by_model)
JUDGE = Stage("judge", judge, judge_by_model)
STAGES = (EXTRACT, VERIFY, CLASSIFY, JUDGE)
