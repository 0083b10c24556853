"""The project in whose folder a user is: which files tell it, and where they are looked for."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from iogauge.commands import arguments as arg
from iogauge.commands import asking
from iogauge.commands.asking import Asked
from iogauge.model.errors import UserError
from iogauge.runners import manifest, projects
from iogauge.runners.preparing import Missing

ROOT = Path(__file__).parents[2]


@pytest.fixture
def made(tmp_path):
    """`made("a/go.mod", …)` makes these files, and gives the folder in which they are."""

    def make(*names: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path

    return make


def told(folder: Path) -> dict[str, str]:
    """What tells each language of the project around a folder."""
    found = projects.around(folder)
    every = found.told if found else ()
    return {language: " ".join(each.by) for each in every for language in each.languages}


@pytest.mark.parametrize(
    ("marker", "languages"),
    [
        ("go.mod", ["go"]),
        ("package.json", ["node"]),
        ("pyproject.toml", ["python"]),
        ("requirements.txt", ["python"]),
        ("setup.py", ["python"]),
        ("Pipfile", ["python"]),
        ("uv.lock", ["python"]),
        ("pom.xml", ["java"]),
        ("build.gradle", ["java"]),
        ("build.gradle.kts", ["java"]),
        ("Cargo.toml", ["rust"]),
        ("CMakeLists.txt", ["c", "cpp"]),
        ("Makefile", []),  # those of other languages have it, too
        ("README.md", []),
    ],
)
def test_one_file_tells_the_language(made, marker, languages):
    assert told(made(marker)) == dict.fromkeys(languages, marker)


@pytest.mark.parametrize(
    ("names", "by"),
    [
        (("pom.xml", "src/main/java/org/x/A.java"), {"java": "pom.xml .java files"}),
        (("build.gradle.kts", "app/src/main/kotlin/A.kt"), {"kotlin": "build.gradle.kts .kt files"}),
        (("pom.xml", "src/A.java", "src/B.kt"), dict.fromkeys(("java", "kotlin"), "pom.xml .java files .kt files")),
        (("Makefile", "src/a.c", "src/a.h"), {"c": "Makefile .c files"}),
        (("CMakeLists.txt", "lib/a.cc"), {"cpp": "CMakeLists.txt .cc files"}),
        (("Makefile", "a.c", "b.cpp"), dict.fromkeys(("c", "cpp"), "Makefile .c files .cpp files")),
        (("Makefile", "CMakeLists.txt"), dict.fromkeys(("c", "cpp"), "CMakeLists.txt")),
        # What others wrote, or what was built, is no source of the project.
        (("Makefile", "node_modules/x/a.c", "vendor/b.c", ".cache/c.c", "build/d.c"), {}),
        (("Makefile", "lib/.git", "lib/a.c"), {}),  # another repository inside
        (("Makefile", "a.c.orig", "c", "b.C~"), {}),
    ],
)  # fmt: skip
def test_sources_tell_languages_with_the_same_marker_apart(made, names, by):
    assert told(made(*names)) == by


def test_several_markers_mean_all_of_their_languages(made):
    found = told(made("go.mod", "package.json", "pyproject.toml", "Makefile"))
    assert found == {"go": "go.mod", "node": "package.json", "python": "pyproject.toml"}


def test_a_folder_that_is_called_like_a_marker_is_none(tmp_path):
    (tmp_path / "go.mod").mkdir()
    (tmp_path / "package.json").symlink_to(tmp_path / "nowhere")
    assert told(tmp_path) == {}


def test_it_is_looked_for_up_to_the_root_of_the_repository_and_the_nearest_counts(made):
    top = made("package.json", "repo/.git", "repo/go.mod", "repo/a/b/data.csv", "repo/c/Cargo.toml")
    for inside in ("repo", "repo/a", "repo/a/b"):
        found = projects.around(top / inside)
        assert (found.folder, found.languages) == (top / "repo", ("go",)), inside
    assert told(top / "repo" / "c") == {"rust": "Cargo.toml"}
    # The root ends it: a worktree or a submodule has a file in the place of the folder.
    assert told(made("repo/a/sub/.git") / "repo/a/sub") == {}
    (top / "repo" / "go.mod").unlink()
    assert told(top / "repo" / "a") == {}


def test_outside_of_a_repository_only_the_current_folder_counts(made):
    top = made("go.mod", "inside/data.csv")
    assert told(top) == {"go": "go.mod"} and told(top / "inside") == {}


def test_iogauges_own_source_is_no_project_of_the_users(made):
    for part in (".", "docs", "runners/go", "runners/jvm", "benchmarks/peers/go"):
        assert told(ROOT / part) == {}, part
    top = made("clone/.git", "clone/Makefile", "clone/src/a.c", "clone/try/go.mod", "p/.git", "p/go.mod")
    (top / "clone" / "pyproject.toml").write_text('[project]\nname = "iogauge"\n')
    assert told(top / "clone") == {} and told(top / "clone" / "src") == {}
    assert told(top / "clone" / "try") == {"go": "go.mod"}, "a folder that the user made there"
    (top / "p" / "pyproject.toml").write_text("[project]\nname = 7 of\n")  # not TOML
    assert told(top / "p") == {"go": "go.mod", "python": "pyproject.toml"}


def test_what_cannot_be_read_has_nothing_in_it(made, monkeypatch):
    top = made("CMakeLists.txt", "closed/a.cpp", "open/b.c", "pyproject.toml")
    scandir = os.scandir

    def closed(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    (top / "pyproject.toml").write_bytes(b"\xff\xfe[project]")
    assert told(top) == {"c": "CMakeLists.txt .c files", "python": "pyproject.toml"}


def test_a_huge_folder_is_not_looked_through_to_its_end(made, monkeypatch):
    top = made("CMakeLists.txt", *(f"{number}.txt" for number in range(9)), "below/a.c")
    monkeypatch.setattr(projects, "_MOST_ENTRIES", 5)
    assert told(top) == dict.fromkeys(("c", "cpp"), "CMakeLists.txt")


def test_the_page_names_every_marker_and_every_ending():
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    tables = [each.file.project for each in manifest.all_runners() if each.file.project]
    endings = [each for table in tables for some in table.sources.values() for each in some]
    named = [*(each for table in tables for each in table.markers), *endings]
    assert not [each for each in named if f"`{each}`" not in page]


def here(*languages: str, missing: tuple[Missing, ...] = ()) -> SimpleNamespace:
    return SimpleNamespace(runtimes=[SimpleNamespace(languages=languages)], missing=missing)


NO_GO = Missing("go", ("go",), "go: skipped, no bin/go; install Go")
NO_RUST = Missing("rust", ("rust",), "rust: skipped, no bin/rustc; install Rust")
NO_NODE = Missing("node", ("node",), "the Node runner cannot be built: no", broken=True)


def in_folder(monkeypatch, folder: Path, *where: str, **options: object) -> Asked:
    monkeypatch.chdir(folder.joinpath(*where))
    return asking.asked(arg.FileAnswer(file=Path("my.csv"), **options))


def test_which_language_is_first_and_why(made, monkeypatch, tmp_path):
    every = here("c", "cpp", "go", "java", "kotlin", "node", "python")
    asked = in_folder(monkeypatch, made(".git", "go.mod", "sub/deeper/data.csv"))
    assert asked.languages(every) == ["go"]
    others = "iogauge my.csv --all"
    assert asked.why(every, ["go"], others) == f"Go first: go.mod is here; the others: {others}"
    assert asked.why(here("go"), ["go"], others) == "Go first: go.mod is here", "there are no others"
    assert asked.recorded(["go"]) == ["--language", "go"] and asked.wanted(["go"]) == ("go",)
    long = f"iogauge {'x' * 40}.csv --all"
    assert asked.why(every, ["go"], long) == f"Go first: go.mod is here; the others:\n{long}"
    asked = in_folder(monkeypatch, tmp_path, "sub", "deeper")
    assert asked.why(every, ["go"], others).startswith("Go first: go.mod is in ../..; the others")
    asked = in_folder(monkeypatch, made("CMakeLists.txt", "a.cpp", "pyproject.toml"))
    why = asked.why(every, ["cpp", "go", "python"], others).partition(";")[0]
    by = "CMakeLists.txt, .cpp files, go.mod and pyproject.toml are here"
    assert why == f"C++, Go and Python first: {by}"
    assert asked.recorded(["cpp", "go", "python"]) == []


@pytest.mark.parametrize(
    "options",
    [
        {"language": "java"},
        {"every": True},
        {"own": ["mine.py"]},
        {"runtime": ["jvm=/jdk"]},  # a runtime of another language is there to be measured
        {"runtime": ["go=/go", "jvm=/jdk"]},
    ],
)
def test_what_the_user_says_wins_over_the_project(made, monkeypatch, options):
    asked = in_folder(monkeypatch, made("go.mod"), **options)
    language = options.get("language")
    assert asked == Asked(language) and asked.languages(here("go", "java")) == (
        [language] if language else None
    )
    assert asked.why(here("go", "java"), [language or "go"], "") == ""
    assert in_folder(monkeypatch, made(), runtime=["go=/go"]).languages(here("go")) == ["go"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"language": "go", "own": ["mine.py"]}, "--language: --own decides the language"),
        ({"language": "go", "every": True}, "--all: --language decides the language"),
        ({"own": ["mine.py"], "every": True}, "--all: --own decides the language"),
        ({"language": "cobol"}, "--language cobol: allowed: "),
    ],
)
def test_two_options_that_decide_the_language_are_one_too_many(options, says):
    with pytest.raises(UserError) as error:
        asking.asked(arg.FileAnswer(file=Path("my.csv"), **options))
    assert str(error.value).startswith(says)


def test_a_language_of_the_project_that_is_missing_here_is_one_line(made, monkeypatch, capsys):
    asked = in_folder(monkeypatch, made("go.mod", "package.json"))
    found = here("python", "node", missing=(NO_GO, NO_RUST))
    assert asked.languages(found) == ["node"]
    asked.say_missing(found, ["node"])
    assert capsys.readouterr().err == f"{NO_GO.why} (go.mod is here)\n"
    assert asked.why(found, ["node"], "x") == "Node first: package.json is here; the others: x"
    # Without any of them all languages are measured, as without a project.
    none = here("python", missing=(NO_GO, NO_RUST, NO_NODE))
    assert asked.languages(none) is None and asked.why(none, ["python"], "x") == ""
    asked.say_missing(none, ["python"])
    assert capsys.readouterr().err == f"{NO_GO.why} (go.mod is here)\n{NO_RUST.why}\n"
    assert asked.wanted(["python"]) == [], "then the runner that cannot be built counts as lacking"


def test_the_current_folder_may_be_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert asking.asked(arg.FileAnswer(file=Path("/my.csv"))) == Asked()
    finally:
        os.chdir(tmp_path)


def test_each_language_of_iogauge_has_markers_and_each_marker_a_language_of_its_runner():
    every = [each for each in manifest.all_runners() if each.name != "fake"]
    for runner in every:
        assert runner.file.project, runner.name
        assert runner.file.project.languages == {*runner.file.languages}, runner.name
