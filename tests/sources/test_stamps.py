from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.sources.stamps import instant

NINE = datetime(2026, 4, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-04-10T09:00:00Z", NINE),
        ("2026-04-10T09:00:00.000Z", NINE),
        ("2026-04-10T11:00:00+02:00", NINE),
        ("2026-04-10 09:00", NINE),
        ("2026-04-10 09:00:00 +0000", NINE),
        ("2026-04-10 09:00:00 UTC", NINE),
        ("2026/4/10 09:00", NINE),
        ("2026-04-10", datetime(2026, 4, 10, tzinfo=UTC)),
        (1775811600, NINE),
        (1775811600.5, NINE.replace(microsecond=500_000)),
        (1775811600123, NINE.replace(microsecond=123_000)),
        (1775811600123456, NINE.replace(microsecond=123_456)),
        (1775811600123456789, NINE.replace(microsecond=123_456)),
        ("1775811600", NINE),
        (0, None),
        (1, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**40, None),
        ("yesterday", None),
        ("", None),
        ("0001-01-01T00:00:00+14:00", None),
        (None, None),
        ([], None),
    ],
)
def test_instants(value, expected):
    assert instant(value) == expected


@given(st.text() | st.floats() | st.integers() | st.datetimes().map(str) | st.from_regex(r"\d{4}-\d\d-\d\dT.*"))
def test_an_instant_is_in_utc_or_none(value):
    at = instant(value)
    assert at is None or at.tzinfo is UTC
