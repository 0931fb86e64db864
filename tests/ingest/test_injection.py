"""Attacks in transcripts, through the real ingest, and what then comes out of every door."""

import json
import re
from pathlib import Path

import pytest

from agentmem import Config, Memory
from agentmem.mcp.tools import TOOLS, Toolbox
from agentmem.recall.quoting import TAG
from agentmem.rules.suspicion import suspicious
from tests.ingest.injections import ATTACKS, HONEST, MARK

_QUESTIONS = (
    "hunter2",
    "Which package manager?",
    "admin password",
    "用哪个包管理器",
    "パッケージマネージャーは",
    "패키지 매니저",
)
_MARKUP = re.compile(rf"</?{TAG}|<\|im_|<system|</?instruction", re.IGNORECASE)


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture
def attacked(stores, request) -> Memory:
    """A project whose one session holds an attack between honest words. All projects lie in one store."""
    attack = request.param
    memory = Memory.open(stores / "agentmem", profile=attack.name, config=Config(embedder="none"))
    turns = [("user", "Use pnpm, not npm."), (attack.role, attack.text), ("assistant", "I see.")]
    memory.ingest(
        {"role": role, "content": text, "session_id": attack.name, "timestamp": f"2026-04-20T10:0{n}:00Z"}
        for n, (role, text) in enumerate(turns)
    )
    return memory


@pytest.mark.parametrize("attacked", ATTACKS, ids=[attack.name for attack in ATTACKS], indirect=True)
def test_an_attack_is_not_believed_and_cannot_close_the_element_it_is_quoted_in(attacked: Memory):
    bad = [item for item in attacked.list(everything=True) if MARK in item.content]
    assert [item for item in bad if item.trust != "low" or item.kind == "instruction"] == []
    assert any("pnpm" in item.content and item.trust == "high" for item in attacked.list())
    for query in (None, *_QUESTIONS[:3]):
        block = attacked.context(query=query).text
        assert MARK not in block and "pnpm" in block
        assert block.count(f"<{TAG}>") == block.count(f"</{TAG}>") == 1
    toolbox = Toolbox(attacked)
    for query in _QUESTIONS:
        reply = toolbox.call(TOOLS["recall"], {"query": query})
        inner = reply.text.removeprefix(f"<{TAG}>").removesuffix(f"</{TAG}>")
        assert _MARKUP.search(inner) is None
        assert _MARKUP.search(json.dumps(reply.data, ensure_ascii=False)) is None
        for line in inner.splitlines():  # a line each, so that nothing can pose as a line of agentmem's own
            assert MARK not in line or re.fullmatch(r"- \[[^“]*\] “.*”", line)
    listed = toolbox.call(TOOLS["list"], {"all": True})
    assert MARK not in listed.text or "low trust" in listed.text


def test_an_attack_that_opens_a_session_is_not_told_to_the_next_one(own_home):
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none"))
    memory.remember("Use pnpm, not npm.")
    memory.ingest([{"role": "user", "content": ATTACKS[0].text, "session_id": "s1"}])
    assert MARK not in memory.context().text
    assert memory.recall(MARK).hits  # what was said is still on record


def test_the_attacks_are_many_and_in_four_languages():
    assert len({attack.text for attack in ATTACKS}) >= 25
    assert all(MARK in attack.text for attack in ATTACKS)


@pytest.mark.parametrize("words", HONEST)
def test_honest_words_are_believed(own_home, words):
    assert not suspicious(words)
    memory = Memory.open(own_home / "agentmem", profile="project", config=Config(embedder="none"))
    memory.ingest([{"role": "user", "content": words, "session_id": "s1", "timestamp": "2026-04-20T10:00:00Z"}])
    assert all(item.trust == "high" for item in memory.list())
    assert "pnpm" in memory.context().text or "spaces" in memory.context().text
