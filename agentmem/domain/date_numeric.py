"""Dates written in digits alone: ISO dates and times, `4/10/2026`, `10.04.2026`, `2026. 4. 10.`.

`4/10/2026` is read month first, as in the United States; a first number above 12 makes it day first. With dots it is
day first, and only where both numbers have two digits, because `4.10.2026` may be a version.
"""

from datetime import UTC, date, datetime, timedelta, timezone

from agentmem.domain.date_periods import Found, Needs, Place, Rule, day, full_year

# Nothing before or after that would make it part of a path, an identifier, a version or a longer number.
# It looks back over the first digit too: a pattern that begins with a digit, not with an assertion, is searched faster.
_START = r"(?<![0-9a-z_/.:+#$\\-][0-9])"
_END = r"(?![0-9a-z_/]|[.,:-][0-9]|-[a-z])"

_ISO = (
    rf"(?P<y>[12]{_START}[0-9]{{3}})(?P<sep>[-/])(?P<m>[0-9]{{1,2}})(?P=sep)(?P<d>[0-9]{{1,2}})"
    r"(?:(?:t|\x20)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
    r"\x20?(?P<zone>z|utc|[+-][0-9]{2}:?[0-9]{2})?)?"
    rf"{_END}"
)


def _iso(place: Place) -> Found | None:
    match = place.match
    written = date(int(match["y"]), int(match["m"]), int(match["d"]))
    if match["hour"] is None:
        return Found(*match.span(), *day(written), has_year=True, relative=False)
    # Without an offset it is a time of the reference's zone, which only `dates` knows.
    moment = datetime(  # noqa: DTZ001
        written.year, written.month, written.day, int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    )
    zone = match["zone"]
    if zone in ("z", "utc"):
        moment = moment.replace(tzinfo=UTC)
    elif zone:
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        moment = moment.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset))
    length = timedelta(seconds=1 if match["second"] else 60)
    return Found(*match.span(), moment, moment + length, has_year=True, relative=False)


def _slashed(place: Place) -> Found | None:
    match, today = place.match, place.today
    first, second, year = int(match["a"]), int(match["b"]), full_year(match["y"])
    if len(match["y"]) == 2 and not -20 <= year - today.year <= 2:
        return None
    number, day_of_month = (first, second) if first <= 12 else (second, first)
    return Found(*match.span(), *day(date(year, number, day_of_month)), has_year=True, relative=False)


def _ordered(place: Place) -> Found | None:
    match = place.match
    written = date(int(match["y"]), int(match["m"]), int(match["d"]))
    return Found(*match.span(), *day(written), has_year=True, relative=False)


RULES = (
    Rule(Needs(("-", "/")), _ISO, _iso),
    Rule(Needs(("/",)), rf"(?P<a>[0-9]{_START}[0-9]?)/(?P<b>[0-9]{{1,2}})/(?P<y>(?:19|20)?[0-9]{{2}}){_END}", _slashed),
    Rule(
        Needs((".19", ".20")),
        rf"(?P<d>[0-9]{_START}[0-9])\.(?P<m>[0-9]{{2}})\.(?P<y>(?:19|20)[0-9]{{2}}){_END}",
        _ordered,
    ),
    Rule(
        Needs((". ",)), rf"(?P<y>[12]{_START}[0-9]{{3}})\. (?P<m>[0-9]{{1,2}})\. (?P<d>[0-9]{{1,2}})\.?{_END}", _ordered
    ),
)
