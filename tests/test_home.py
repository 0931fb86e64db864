"""The wall around the real home holds."""

import os
from pathlib import Path

import pytest

from agentmem import paths
from tests.conftest import _REAL_HOME


def test_writing_into_the_real_home_raises():
    with pytest.raises(PermissionError, match="real home"):
        (_REAL_HOME / "agentmem-test-must-not-be-here").write_text("x")
    with pytest.raises(PermissionError, match="real home"):
        (_REAL_HOME / "agentmem-test-must-not-be-here").mkdir()


def test_the_default_home_is_the_tests_own(own_home: Path, monkeypatch):
    monkeypatch.delenv("AGENTMEM_HOME")
    assert own_home in paths.home().data.parents or paths.home().data == own_home / "agentmem"
    assert Path(os.environ["HOME"]) == own_home
