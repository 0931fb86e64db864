"""Models that say what a test wants of whatever they are shown, behind a real socket."""

import re
from dataclasses import dataclass, field

from agentmem.config import Config
from agentmem.memory import Memory

EXTRACT = "You read part of a conversation between a person and a coding agent, and note what"
DETAIL = "You read part of a conversation between a person and a coding agent, and note the exact"
VERIFY = "Check memories"
CLASSIFY = "Sort memories"
JUDGE = "Compare new memories"
SUMMARY = "Sum up a session"
PATTERNS = "Below are memories"

_LINE = re.compile(r"^\[(\d+)\] (.*?)(?=^\[\d+\] |^Answer with|\Z)", re.MULTILINE | re.DOTALL)
_MEMORY = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


@dataclass
class Said:
    """A memory that the model finds wherever it sees its quote."""

    quote: str
    content: str
    kind: str = "fact"
    topic: str = ""
    verdict: dict = field(default_factory=dict)
    importance: float = 0.6
    occurred: str = ""


class Script:
    """Answers by the kind of prompt.

    Args:
        said: what extraction finds.
    """

    def __init__(self, *said: Said) -> None:
        self.said = list(said)
        self.detail: list[Said] = []
        self.judged: dict[str, str] = {}
        self.again: dict = {"verdict": "pass", "reason": "right now"}
        self.patterns: list[dict] = []
        self.summary = None
        self.verified: set[str] = set()

    def __call__(self, prompt: str, request: dict) -> object:
        for opening, answer in (
            (EXTRACT, lambda: self.extract(prompt, self.said)),
            (DETAIL, lambda: self.extract(prompt, self.detail)),
            (VERIFY, lambda: self.verify(prompt)),
            (CLASSIFY, lambda: self.classify(prompt)),
            (JUDGE, lambda: self.judge(prompt)),
            (SUMMARY, lambda: self.sum_up(prompt)),
            (PATTERNS, lambda: {"patterns": self.patterns}),
        ):
            if prompt.startswith(opening):
                return answer()
        raise AssertionError(prompt[:200])

    def extract(self, prompt, said):
        found = []
        for number, text in _LINE.findall(prompt.split("project ", 1)[1]):
            head = text.split(": ", 1)[0]
            if "(before)" in head:
                continue
            found += [
                {"content": one.content, "kind": one.kind, "quote": one.quote, "lines": [int(number)]}
                for one in said
                if one.quote in text
            ]
        return {"memories": found}

    def _known(self, text):
        return next((one for one in self.said + self.detail if text.startswith(one.content)), None)

    def verify(self, prompt):
        verdicts = []
        for number, text in _MEMORY.findall(prompt.split("Memories:\n", 1)[1]):
            known = self._known(text)
            said = known.verdict if known is not None else self.again
            if said is not None:
                verdicts.append({"memory": int(number), "verdict": "pass", "reason": "it is said", **said})
        return {"verdicts": verdicts}

    def classify(self, prompt):
        made = []
        for number, text in _MEMORY.findall(prompt.split("Memories, each", 1)[1]):
            known = self._known(text) or Said("", text)
            made.append(
                {
                    "memory": int(number),
                    "kind": known.kind,
                    "topic": known.topic,
                    "queries": [f"what about {known.content[:20]}?", "which one?", "since when?"],
                    "importance": known.importance,
                    "occurred": known.occurred,
                    "expires": "",
                }
            )
        return {"memories": made}

    def judge(self, prompt):
        verdicts = []
        for number, pair in re.findall(r"^(\d+)\. (new.*?)(?=^\d+\. new|^Answer)", prompt, re.MULTILINE | re.DOTALL):
            verdict = next((v for needle, v in self.judged.items() if needle in pair), "new")
            verdicts.append({"pair": int(number), "verdict": verdict, "reason": f"because {verdict}"})
        return {"verdicts": verdicts}

    def sum_up(self, prompt):
        if self.summary is not None:
            return self.summary
        number, text = _LINE.findall(prompt.split("project ", 1)[1])[0]
        return {
            "summary": "They set the project up.",
            "quote": text.split(": ", 1)[1].strip()[:40],
            "lines": [int(number)],
        }


def remembering(home, server, **settings):
    config = Config(
        embedder="fake",
        language_model="ollama",
        ollama_host=server.url,
        patience=20,
        **{f"model_{role}": "small" for role in ("extract", "verify", "classify", "analyze", "synthesize", "merge")},
        **settings,
    )
    return Memory.open(home / "agentmem", profile="project", config=config)


def long_session(many=60, size=667, session="long", start=0):
    """Messages of about so many characters, each with a number of its own."""
    filler = "the importer reads one row and writes it down again "
    return [
        {
            "role": ("user", "assistant")[place % 2],
            "content": (f"Note {place}: " + filler * 20)[:size],
            "timestamp": f"2026-04-10T{8 + place // 60:02}:{place % 60:02}:00Z",
            "session_id": session,
        }
        for place in range(start, start + many)
    ]


def active(memory):
    return [item for item in memory.list() if item.extractor.startswith(("extract", "detail"))]
