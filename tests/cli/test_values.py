import pytest

from tests.cli.test_start import _loaded


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "which", "one?", "-k", "5", "--kind", "fact", "--type", "memory", "--since", "7d", "--json"),
        ("list", "-k", "3", "--all"),
        ("profile", "why"),
        ("config", "get", "limit"),
    ],
)
def test_no_command_pays_for_pydantic_when_its_options_are_right(arguments, environment):
    loaded = _loaded(f"sys.argv = ['agentmem', *{arguments!r}]; import agentmem.__main__ as m; m.main()")
    assert "agentmem.cli.commands" in loaded
    assert "pydantic" not in loaded


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("recall", "x", "-k", "0"), "--limit"),
        (("recall", "x", "-k", "1001"), "--limit"),
        (("recall", "x", "-k", "²"), "--limit"),
        (("recall", "x", "-k", "9" * 5000), "--limit"),
        (("recall", "x", "--kind", "opinion"), "--kind"),
        (("recall", "x", "--type", "memory", "--type", "thought"), "--type"),
        (("work", "--seconds", "soon"), "--seconds"),
        (("work", "--seconds", "-1"), "--seconds"),
        (("show",), "ID"),
        (("config", "set", "limit"), "VALUE"),
        (("recall", "x", "--since"), "--since"),
    ],
)
def test_wrong_values_are_usage_errors_that_name_the_option(call, arguments, words):
    tried = call(*arguments)
    assert tried.code == 2
    assert words in tried.err
