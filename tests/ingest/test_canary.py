"""What a memory injects comes back in every agent's transcript, in every shape, and the store holds it once."""

import json
from pathlib import Path

import pytest

from agentmem import Memory
from tests.ingest.test_forks import gather
from tests.sources import test_canary as made

TRANSCRIPTS = {
    "claude.jsonl": made.claude, "codex.jsonl": made.codex, "codex-old.jsonl": made.codex_without_provenance,
    "gemini.jsonl": made.gemini, "opencode.json": made.opencode, "cursor.jsonl": made.cursor,
    "copilot.jsonl": made.copilot, "pi.jsonl": made.pi, "qwen.jsonl": made.qwen, "cline.json": made.cline,
    "cline-model.json": made.cline_model, "aider.md": made.aider,
}  # fmt: skip


def shapes(block: str) -> dict[str, str]:
    """The forms in which a briefing comes back."""
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    return {
        "plain": block,
        "escaped": escaped,
        "in JSON": json.dumps(block).replace("<", "\\u003c").replace(">", "\\u003e"),
        "hook output": json.dumps({"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": block}}),
        "in a reminder": f"<system-reminder>\n{block}\n</system-reminder>",
        "twice": f"{block}\n\n{escaped}",
    }


@pytest.mark.slow
def test_what_is_injected_comes_back_and_is_stored_once(memory: Memory, tmp_path: Path):
    memory.remember(made.CANARY)
    block = memory.context().text
    assert made.CANARY in block
    files = []
    for shape, text in shapes(block).items():
        for name, transcript in TRANSCRIPTS.items():
            files.append(tmp_path / shape / name)
            files[-1].parent.mkdir(exist_ok=True)
            # Sessions of their own, as otherwise a shape would hide behind the one that was read before.
            files[-1].write_bytes(transcript(text).replace(b'"s"', json.dumps(f"{name}-{shape}").encode()))
    gather(memory._store, files)
    with memory._store.reading() as connection:
        memories = connection.execute("SELECT content FROM memories").fetchall()
        said = connection.execute(
            "SELECT role, content, agent FROM messages JOIN sessions s ON s.no = session_no"
        ).fetchall()
    assert [content for (content,) in memories if "canary" in content] == [made.CANARY]
    assert not [one for one in said if "canary" in one[1] or "agentmem-memory" in one[1]]
    assert {agent for role, content, agent in said if role == "user" and made.PROMPT in content} == {
        "claude", "codex", "gemini", "opencode", "cursor", "copilot", "pi", "qwen", "cline", "aider",
    }  # fmt: skip
