"""The commands that move a store: their shapes, their questions, their errors."""

import json

import pytest


def test_export_and_import_shapes(filled, tmp_path, monkeypatch):
    done = filled("export", "-o", tmp_path / "a", "--with-messages", "--json").json
    assert set(done) == {"version", "place", "format", "rows", "bytes"}
    assert (done["format"], done["rows"]["messages"]) == ("parquet", 4)
    assert filled("export", "-o", tmp_path / "a.jsonl", "--json").json["format"] == "jsonl"
    text = filled("export", "-o", "-", "--with-messages")
    lines = [json.loads(line) for line in text.out.splitlines()]
    assert (lines[0]["table"], lines[-1]["table"]) == ("export", "end")
    monkeypatch.setenv("AGENTMEM_HOME", str(tmp_path / "other"))
    merged = filled("import", tmp_path / "a", "--json").json
    assert set(merged) == {
        "version", "place", "format", "dry_run", "profiles", "tables", "forgotten", "superseded", "notes",
    }  # fmt: skip
    assert merged["tables"]["messages"] == {"new": 4, "known": 0, "refused": 0}
    again = filled("import", "-", given=text.out)
    assert "standard input (jsonl)" in again.out
    assert "messages\t0 new\t4 known\t0 refused" in again.out
    cut = filled("import", "-", given=text.out[:-20])
    assert (cut.code, cut.out) == (4, "")
    assert "Nothing was imported" in cut.err


def test_an_export_gets_a_name_of_its_own(filled, tmp_path):
    assert filled("export", "--format", "jsonl").code == 0
    (place,) = (tmp_path / "work").glob("agentmem-export-*.jsonl")
    assert place.stat().st_mode & 0o077 == 0
    taken = filled("export", "-o", place)
    assert (taken.code, "is there already" in taken.err) == (2, True)
    assert filled("export", "-o", "-", "--format", "parquet").code == 2
    assert filled("export", "-o", tmp_path / "nowhere/a").code == 2


@pytest.mark.parametrize("pair", ["a", "=b", "a="])
def test_a_map_that_is_none(filled, pair, tmp_path):
    filled("export", "-o", tmp_path / "a")
    assert filled("import", tmp_path / "a", "--map", pair).code == 2


def test_backup_restore_and_upgrade_shapes(filled, tmp_path):
    copied = {"place", "at", "bytes", "format", "rows", "wrong"}
    made = filled("backup", "--json").json
    assert set(made) == {"version", "backup", "removed"}
    assert set(made["backup"]) == copied
    listed = filled("restore", "--json").json
    assert [one["place"] for one in listed["backups"]] == [made["backup"]["place"]]
    seen = filled("restore", made["backup"]["place"], "--dry-run", "--json").json
    assert set(seen) == {"version", "backup", "store", "kept", "restored"}
    assert seen["restored"] is False
    unasked = filled("restore", made["backup"]["place"])
    assert (unasked.code, "--yes" in unasked.err) == (2, True)
    assert filled("restore", made["backup"]["place"], "--yes", "--json").json["restored"] is True
    assert "The backup is the store now." in filled("restore", made["backup"]["place"], "--yes").out
    assert set(filled("upgrade", "--json").json) == {
        "version", "dry_run", "format", "was", "steps", "before", "after", "backup",
    }  # fmt: skip
    assert "up to date" in filled("upgrade", "--dry-run").out
