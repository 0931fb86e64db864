"""Claude Code sessions made by a generator, with the proportions of real ones: nearly all bytes are tool output."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

TOOLS = ("pnpm", "npm", "yarn", "uv", "pip", "poetry", "cargo", "make", "just", "bun")
PARTS = ("dashboard", "billing service", "importer", "search index", "login page", "worker", "report", "mobile app")
WORDS = (  # noqa: SIM905
    "def return import class self value result error path file test assert config index user session token cache "
    "query table column row update insert select build deploy server client request response header body stream"
).split()


def sessions(folder: Path, count: int, size: int, *, seed: int = 1, first: int = 0) -> list[Path]:
    """Write so many sessions of about so many bytes each, in twenty projects; the files carry the times they tell."""
    files = []
    for number in range(first, first + count):
        pick = random.Random(f"{seed}-{number}")
        project = f"/home/dev/project{number % 20}"
        file = folder / project.replace("/", "-") / f"{_uuid(pick)}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        began = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=3 * number)
        written = 0
        with file.open("w", encoding="utf-8") as out:
            for line in _lines(pick, project, file.stem, began):
                written += out.write(json.dumps(line) + "\n")
                if written >= size:
                    break
        files.append(file)
    return files


def turns(file: Path) -> int:
    """The prompts in a session."""
    return sum('"kind": "human"' in line for line in file.open(encoding="utf-8"))


def _lines(pick: random.Random, project: str, session: str, at: datetime) -> Iterator[dict[str, object]]:
    parent: str | None = None

    def line(kind: str, **more: object) -> dict[str, object]:
        nonlocal parent, at
        at += timedelta(seconds=pick.randint(1, 40))
        own = _uuid(pick)
        entry = {
            "parentUuid": parent, "isSidechain": False, "type": kind, "uuid": own, "timestamp": at.isoformat(),
            "sessionId": session, "cwd": project, "version": "2.1.330", "gitBranch": "main", "userType": "external",
            "entrypoint": "cli", **more,
        }  # fmt: skip
        parent = own
        return entry

    while True:
        tool, part = pick.choice(TOOLS), pick.choice(PARTS)
        words = f"Use {tool} for the {part}, not {pick.choice(TOOLS)}. Then look at case {pick.randint(1, 9999)}."
        yield line("user", message={"role": "user", "content": words}, origin={"kind": "human"})
        for _ in range(pick.randint(4, 14)):
            call = f"toolu_{pick.getrandbits(64):x}"
            thought = " ".join(pick.choices(WORDS, k=60))
            thinking = {"type": "thinking", "thinking": thought, "signature": f"{pick.getrandbits(2000):x}"}
            yield line("assistant", message=_reply(call, thinking))
            file = f"{project}/src/{pick.choice(WORDS)}.py"
            used = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": file}}
            yield line("assistant", message=_reply(call, used))
            output = _output(pick)
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            yield line("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": output})
            if pick.random() < 0.5:
                yield line("progress", data={"type": "bash_progress", "output": output[:4000]})
        text = {"type": "text", "text": f"Done: the {part} now uses {tool}. " + " ".join(pick.choices(WORDS, k=40))}
        yield line("assistant", message=_reply("end", text))


def _reply(identity: str, block: dict[str, object]) -> dict[str, object]:
    return {"id": f"msg_{identity}", "type": "message", "role": "assistant", "model": "claude-opus-5",
            "content": [block], "usage": {"input_tokens": 900, "output_tokens": 90}}  # fmt: skip


_TEXT = [" ".join(random.Random(n).choices(WORDS, k=12)) for n in range(4000)]


def _output(pick: random.Random) -> str:
    lines = min(int(pick.lognormvariate(4, 1.2)), 6000)
    start = pick.randrange(len(_TEXT))
    return "\n".join(f"{n:5}\t{_TEXT[(start + n) % len(_TEXT)]}" for n in range(lines))


def _uuid(pick: random.Random) -> str:
    digits = f"{pick.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
