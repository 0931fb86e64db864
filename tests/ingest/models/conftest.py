"""A memory whose models say what a script tells them to."""

import pytest

from tests.ingest.models.scripted import Script, remembering
from tests.models.fake_ollama import serving


@pytest.fixture
def script():
    return Script()


@pytest.fixture
def server(script):
    with serving(script) as server:
        yield server


@pytest.fixture
def memory(own_home, server):
    return remembering(own_home, server)
