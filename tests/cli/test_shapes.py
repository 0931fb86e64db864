"""The shapes that other programs build on. A change here is a change of the published interface."""

import re

HIT = {"rank", "type", "id", "source_id", "session_id", "kind", "role", "content", "at", "score", "evidence", "marks"}
EVIDENCE = {"session_id", "message_id", "source_id", "quote", "at", "role"}
MEMORY = {
    "id", "profile", "kind", "content", "topic_key", "status", "superseded_by", "importance", "trust", "extractor",
    "occurred_at", "valid_from", "created_at", "expires_at", "pinned", "confirmed_at", "last_recalled_at", "recalled",
    "reason",
}  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_recall(filled):
    found = filled("recall", "which package manager?", "--json").json
    assert list(found) == [
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
    assert (found["version"], found["query"], found["answer"], found["abstained"]) == (
        1,
        "which package manager?",
        None,
        False,
    )
    assert all(set(hit) == HIT for hit in found["hits"])
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    memory = next(hit for hit in found["hits"] if hit["type"] == "memory")
    assert memory["session_id"] is None
    assert memory["source_id"] is None
    assert "pnpm" in memory["content"]
    assert all(set(one) == EVIDENCE for one in memory["evidence"])
    assert memory["evidence"][0]["source_id"] == "m3"
    assert TIME.fullmatch(memory["evidence"][0]["at"])
    message = next(hit for hit in found["hits"] if hit["type"] == "message")
    assert (message["evidence"], message["session_id"][:9]) == ([], "dashboard")
    assert message["source_id"].startswith("m")
    assert message["role"] in ("user", "assistant")
    assert TIME.fullmatch(message["at"])


def test_recall_explained_only_adds_keys(filled):
    found = filled("recall", "package manager", "--json", "--explain").json
    assert list(found) == [
        "version",
        "query",
        "profile",
        "answer",
        "answered_by",
        "citations",
        "trouble",
        "abstained",
        "hits",
        "notes",
    ]
    hit = found["hits"][0]
    assert set(hit) == HIT | {"explain"}
    shares = [part["share"] for part in hit["explain"]["channels"]]
    assert abs(sum(shares) - hit["score"]) < 1e-9
    assert set(hit["explain"]["channels"][0]) == {"channel", "rank", "score", "share"}


def test_recall_without_an_answer_abstains(filled):
    asked = filled("recall", "zeppelin maintenance schedule", "--json")
    assert asked.code == 0
    assert (asked.json["abstained"], asked.json["hits"], asked.json["answer"]) == (True, [], None)


def test_recall_computes_dates(filled):
    found = filled(
        "recall", "How many days ago was the April 10 incident?", "--reference-date", "2026-04-20", "--json"
    ).json
    assert found["answer"].startswith("10 days")


def test_ingest(call, dashboard):
    done = call("ingest", dashboard, "--json").json
    assert set(done) == {
        "version", "messages", "known", "memories", "superseded", "refused", "redacted", "sessions", "profile", "passed_over",
        "inputs", "vectors", "note", "models",
    }  # fmt: skip
    assert (done["messages"], done["known"]) == (4, 0)
    assert set(done["inputs"][0]) == {"path", "bytes", "messages", "skipped", "unknown", "ignored", "error"}
    assert done["vectors"]["owed"] == 0
    again = call("ingest", dashboard, "--json").json
    assert (again["messages"], again["known"], again["memories"]) == (0, 4, 0)


def test_memories_look_the_same_everywhere(filled):
    listed = filled("list", "--json").json
    assert list(listed) == ["version", "profile", "memories"]
    assert all(set(one) == MEMORY for one in listed["memories"])
    item = next(one for one in listed["memories"] if "pnpm" in one["content"])
    shown = filled("show", item["id"], "--json").json
    assert set(shown) == {
        "version",
        "memory",
        "message",
        "occurrences",
        "evidence",
        "queries",
        "context",
        "verdicts",
        "anchors",
        "code",
    }
    assert shown["memory"] == item
    versions = filled("history", item["id"], "--json").json["versions"]
    assert [one["memory"]["status"] for one in versions] == ["superseded", "active"]
    assert set(versions[0]) == {"memory", "evidence", "journal"}
    forgotten = filled("forget", "--yes", item["id"], "--json").json
    assert forgotten["memory"] == {**item, "status": "forgotten"}
    assert filled("remember", "we use bun", "--json").json["memory"]["content"] == "we use bun"


def test_a_message_is_shown_with_its_occurrences(filled):
    hit = filled("recall", "dark mode", "--type", "message", "-k", "1", "--json").json["hits"][0]
    shown = filled("show", hit["id"][:8], "--json").json
    assert shown["message"]["content"] == hit["content"]
    assert [one["source_id"] for one in shown["occurrences"]] == ["m3"]
    assert "m2" in [one["source_id"] for one in shown["context"]]


def test_stats_doctor_config_profile_and_work(filled):
    assert set(filled("stats", "--json").json) == {
        "version", "home", "profiles", "sessions", "messages", "memories", "tombstones", "journal", "last_ingest",
        "vectors", "models", "bytes",
    }  # fmt: skip
    examined = filled("doctor", "--deep", "--json").json
    assert examined["ok"] is True
    assert set(examined["checks"][0]) == {"name", "state", "detail", "hint"}
    assert set(filled("config", "show", "--json").json) == {"version", "file", "settings"}
    assert filled("config", "get", "limit", "--json").json == {"version": 1, "key": "limit", "value": 10}
    profiles = filled("profile", "list", "--json").json
    assert profiles["current"] in [one["name"] for one in profiles["profiles"]]
    assert set(filled("profile", "show", "--json").json["profile"]) == {
        "name", "identity", "created_at", "sessions", "messages", "memories"
    }  # fmt: skip
    assert set(filled("profile", "why", "--json").json) == {"version", "profile", "identity", "reason", "stored"}
    assert filled("work", "--json").json == {
        "version": 1,
        "computed": 0,
        "reused": 0,
        "owed": 0,
        "models": None,
        "again": None,
    }
