import json
import subprocess
import sys

from agentmem.models.fake import FakeEmbedder
from tests.cli.conftest import process_environment


def _asked(*lines: object) -> str:
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


def _answers(outcome) -> list[dict]:
    assert outcome.code == 0
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_each_line_is_answered_in_order_and_a_bad_one_does_not_stop_the_rest(filled, tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text(
        _asked(
            {"query": "which package manager?", "k": 1},
            "{broken",
            "",
            {"query": "rate limit", "type": "message", "k": 1, "id": "the caller's own"},
            {"query": "rate limit", "profile": "nobody"},
            ["rate limit"],
            {"query": 3},
            {"query": "x", "k": 0},
            {"query": "x", "k": "5"},
            {"query": "x", "kind": "opinion"},
            {"query": "x", "since": "the day the earth stood still"},
            {
                "query": "How many days ago was the April 10 incident?",
                "reference_date": "2026-04-20",
                "k": 2,
                "since": None,
            },
            {"query": "\ud800 dark mode", "kind": ["instruction", "fact"]},
        ),
        encoding="utf-8",
    )
    answers = _answers(filled("recall", "--batch", file))
    assert [one.get("line") for one in answers] == [None, 2, None, 5, 6, 7, 8, 9, 10, 11, None, None]
    assert [one["error"]["code"] for one in answers if "error" in one] == [
        "bad_input", "not_found", "bad_input", "usage_error", "usage_error", "usage_error", "usage_error", "usage_error",
    ]  # fmt: skip
    assert list(answers[0]) == [
        "version",
        "query",
        "profile",
        "answer",
        "answered_by",
        "citations",
        "trouble",
        "abstained",
        "hits",
    ]
    assert "pnpm" in answers[0]["hits"][0]["content"]
    assert [hit["type"] for hit in answers[2]["hits"]] == ["message"]
    assert answers[10]["answer"].startswith("10 days")
    assert {hit["kind"] for hit in answers[11]["hits"]} <= {"instruction", "fact"}


def test_options_are_the_usual_of_all_lines(filled):
    answers = _answers(
        filled(
            "recall", "--batch", "-", "-k", 1, "--type", "message", "--explain", given=_asked({"query": "rate limit"})
        )
    )
    assert [hit["type"] for hit in answers[0]["hits"]] == ["message"]
    assert "explain" in answers[0]["hits"][0]


def test_lines_may_ask_other_profiles_with_one_model(filled, dashboard, monkeypatch):
    filled("ingest", dashboard, "--profile", "other")
    loads = []
    monkeypatch.setattr(FakeEmbedder, "__init__", _counting(FakeEmbedder.__init__, loads))
    answers = _answers(
        filled(
            "recall",
            "--batch",
            "-",
            given=_asked({"query": "npm"}, {"query": "npm", "profile": "other"}, {"query": "npm", "profile": "user"}),
        )
    )
    assert [one["profile"] for one in answers][1:] == ["other", "user"]
    assert answers[0]["profile"] not in ("other", "user")
    assert len(loads) == 1


def _counting(original, loads):
    def init(self, *arguments, **named):
        loads.append(1)
        original(self, *arguments, **named)

    return init


def test_an_answer_comes_before_the_next_question_is_sent(filled):
    talk = subprocess.Popen(
        [sys.executable, "-m", "agentmem", "recall", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=process_environment(),
    )
    for query in ("dark mode", "rate limit"):
        talk.stdin.write(_asked({"query": query}).encode())
        talk.stdin.flush()
        assert json.loads(talk.stdout.readline())["query"] == query
    talk.stdin.close()
    assert talk.wait(30) == 0


def test_a_file_that_is_not_there_is_bad_input(call, tmp_path):
    tried = call("recall", "--batch", tmp_path / "none.jsonl")
    assert tried.code == 4
    assert "none.jsonl cannot be read" in tried.err


def test_a_question_beside_a_batch_is_a_usage_error(call):
    assert call("recall", "what?", "--batch", "-").code == 2
