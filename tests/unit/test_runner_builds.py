"""Builds of runners: their environment, the user's code in them, and why one fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners import building, manifest, own, preparing
from iogauge.runners.building import Failed, why_failed
from iogauge.runners.finding import Installed
from iogauge.runners.manifest import Runner
from iogauge.runners.programs import environment
from iogauge.sources.language import Glue

RUNNERS = Path(__file__).parents[2] / "runners"
FAKE = Path(__file__).parents[1] / "runners" / "fake"
DUMP = 'python3 -c "import os, json; print(json.dumps(dict(os.environ)))"'


def test_what_is_false_is_removed_and_a_later_table_has_its_way(monkeypatch):
    for name in ("A_ONE", "A_TWO", "B"):
        monkeypatch.setenv(name, "user's")
    made = environment({"A_*": False, "A_TWO": "ours", "B": "ours"}, {"B": False})
    assert "A_ONE" not in made and made["A_TWO"] == "ours" and "B" not in made


def test_what_python_compiled_is_no_source(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    runner = manifest.load(shutil.copytree(RUNNERS / "python", tmp_path / "own", ignore=ignored))
    before = building.identity(runner, "")
    compiled = tmp_path / "own" / "harness" / "__pycache__"
    assert "harness" in runner.file.build.inputs
    compiled.mkdir()
    (compiled / "main.cpython-311.pyc").write_bytes(b"where it is installed")
    assert building.identity(runner, "") == before


@pytest.mark.parametrize("name", ["LD_PRELOAD", "MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_nothing_stands_in_for_the_c_library(name, monkeypatch):
    monkeypatch.setenv(name, "user's")
    assert name not in environment()


def test_a_wildcard_cannot_be_set(tmp_path):
    text = (FAKE / "runner.toml").read_text() + '\n[launch.environment]\n"A_*" = "1"\n'
    (tmp_path / "runner.toml").write_text(text)
    with pytest.raises(UserError, match=r"launch.environment: .*A_\*: a name with \* can only"):
        manifest.load(tmp_path)


def toolchain(folder: Path, **programs: str) -> None:
    """Programs of a shell that write their environment to a file beside them."""
    folder.mkdir()
    for name, text in programs.items():
        path = folder / name
        path.write_text(
            f"#!/bin/sh\n{DUMP} > {folder}/{name}.json\necho $0 $@ >> {folder}/said\n{text}\n"
        )
        path.chmod(0o755)


def built_with(name: str, folder: Path, monkeypatch, **users: str) -> dict[str, str]:
    """The environment in which a runner is built by the toolchain in this folder, where a user has
    these variables.
    """
    monkeypatch.setattr(folders, "cache", lambda: folder / "cache")
    for variable, value in users.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    runner = manifest.load(RUNNERS / name)
    executable = folder / runner.file.runtime.executable
    building.build(runner, Installed(executable, folder, "99"), lambda text: None)
    builds = {"go": "go", "rust": "cargo", "jvm": "mvn"}
    return json.loads((folder / "bin" / f"{builds[name]}.json").read_text())


def test_a_build_leaves_no_folder_in_a_home_that_had_none(tmp_path, monkeypatch):
    """The cache of modules, which Go writes as read-only; one that is there is used."""
    known = tmp_path / "known"
    known.mkdir()
    toolchain(
        tmp_path / "bin",
        go=f"""if [ $1 = env ]; then
            echo '{{"GOMODCACHE": "{tmp_path}/go/pkg/mod", "GOCACHE": "{known}", "GOPROXY": "off"}}'
        else
            mkdir -p $GOMODCACHE/module && touch $GOMODCACHE/module/a && chmod -R 555 $GOMODCACHE
        fi""",
    )
    seen = built_with("go", tmp_path, monkeypatch)
    assert seen["GOMODCACHE"].startswith(str(tmp_path / "cache"))
    assert seen["GOCACHE"] == str(known) and seen["GOPROXY"] == "off"
    assert not (tmp_path / "go").exists() and not list(tmp_path.rglob("module"))


GO = 'case $1 in env) echo "{\\"GOPROXY\\": \\"by $GOENV\\", \\"GOAUTH\\": \\"\\"}";; esac'
CARGO = 'case $1 in build) mkdir -p target/here/release; touch target/here/release/iogauge-runner;; *) echo "source = x" > Cargo.lock;; esac'


@pytest.mark.parametrize(
    "name, programs, ours, kept, gone",
    [
        (
            "go",
            {"go": GO},
            {
                **{"GOENV": "off", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"},
                **{"GOPROXY": "by /a/file"},  # `go env` is asked with the user's GOENV
            },
            {"https_proxy": "http://proxy"},
            "GOOS GOEXPERIMENT GOAMD64 GOARM64 GODEBUG CGO_CFLAGS",
        ),
        (
            "rust",
            {"rustc": "echo host: here", "cargo": CARGO},
            {"CARGO_TARGET_DIR": "target", "RUSTFLAGS": "", "RUSTC_WRAPPER": ""},
            {
                "CARGO_HOME": "/home",
                "CARGO_HTTP_PROXY": "http://proxy",
                "CARGO_NET_OFFLINE": "true",
            },
            "CARGO_BUILD_TARGET CARGO_PROFILE_RELEASE_LTO CARGO_TARGET_HERE_LINKER "
            "CARGO_ENCODED_RUSTFLAGS RUSTUP_TOOLCHAIN",
        ),
        (
            "jvm",
            {"mvn": ""},
            {"MAVEN_SKIP_RC": "true"},
            {"MAVEN_OPTS": "-Dhttps.proxyHost=proxy"},
            "JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH MAVEN_ARGS",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_a_build_keeps_how_to_get_libraries_and_nothing_else(
    name, programs, ours, kept, gone, tmp_path, monkeypatch
):
    toolchain(tmp_path / "bin", **programs)
    users = dict.fromkeys((*ours, *gone.split(), "JAVA_HOME", "GOPROXY"), "user's") | kept
    seen = built_with(name, tmp_path, monkeypatch, **users | {"GOENV": "/a/file"})
    assert {**kept, **ours}.items() <= seen.items()
    assert not {"GOAUTH", *gone.split()} & seen.keys()
    assert name != "jvm" or seen["JAVA_HOME"] == str(tmp_path)
    assert name != "rust" or "--target here" in (tmp_path / "bin" / "said").read_text()


@pytest.mark.parametrize(
    ("name", "variable"),
    [("go", "GODEBUG"), ("go", "GOGC"), ("jvm", "JAVA_TOOL_OPTIONS"), ("rust", "RUST_MIN_STACK")],
)
def test_a_runner_is_started_without_it(name, variable, monkeypatch):
    monkeypatch.setenv(variable, "user's")
    file: manifest.RunnerFile = Runner(RUNNERS, manifest.load(RUNNERS / name).file).file
    assert variable not in environment(file.environment, file.launch.environment)


def test_what_a_file_names_comes_along(tmp_path):
    for name, text in {
        "read_log.py": "import helper\nfrom parts.inner import x\n# not from data\n",
        "helper.py": "import deeper, helper, read_log\n",
        "deeper.py": "",
        "parts/__init__.py": "",
        "parts/inner/__init__.py": "",
        "parts/notes.txt": "no module",
        "parts/.hidden/x.py": "",
        "unrelated.py": "",
        "data/old/copies/x.py": "",
        "helper.txt": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (runner,) = own.runners([str(tmp_path / "read_log.py")])
    names = sorted(str(place) for place, _ in building.own_files(runner))
    inside = ["parts/__init__.py", "parts/inner/__init__.py"]
    assert names == sorted(f"own/{each}" for each in ["code.py", "helper.py", "deeper.py", *inside])


def test_a_package_comes_along_under_its_name_with_the_module_and_the_function(tmp_path):
    """Whether a file in it is named, or the folder; with what lies beside it and is named in it."""
    for name in ("__init__", "reader", "deep/__init__", "deep/other", "tests/test_it"):
        path = tmp_path / "logs" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import beside\n")
    for name in ("beside.py", "unrelated.py", "logs/notes.txt"):
        (tmp_path / name).write_text("")
    for given, module, function in (
        ("logs/reader.py", "logs.reader", ""),
        ("logs/deep/other.py:count", "logs.deep.other", "count"),
        ("logs", "logs", ""),
        ("logs/__init__.py:A.read", "logs", "A.read"),
    ):
        (runner,) = own.runners([str(tmp_path / given)])
        names = {str(place) for place, _ in building.own_files(runner)}
        inside = ("__init__", "reader", "deep/__init__", "deep/other", "tests/test_it")
        assert names == {"own/beside.py", *(f"own/logs/{each}.py" for each in inside)}
        said = {str(place): text.decode() for place, text in building.own_words(runner).items()}
        assert said.pop("own/module.txt") == module
        said.pop("own/name.txt", None)
        assert said == ({"own/function.txt": function} if function else {})


def test_a_function_is_named_behind_a_path_and_a_path_that_exists_wins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "a=b.py", "odd.py", "odd.py:f.py", "read.c"):
        (tmp_path / name).write_text('#include "iogauge_own.h"\n' if name == "read.c" else "")
    builds = {}
    for given, label, path, function in (
        ("mine.py", "", "mine.py", ""),
        ("mine.py:f", "", "mine.py", "f"),
        ("mine.py:A.f", "", "mine.py", "A.f"),
        ("new=mine.py:f", "new", "mine.py", "f"),
        ("a=b.py", "", "a=b.py", ""),
        ("a=b.py:f", "", "a=b.py", "f"),
        ("odd.py:f.py", "", "odd.py:f.py", ""),
        ("x=odd.py:f.py:g", "x", "odd.py:f.py", "g"),
        ("odd.py:g.py:h", "", "odd.py", "g.py:h"),
        ("mine.py:a::A::f", "", "mine.py", "a::A::f"),
        ("new=mine.py:A::f", "new", "mine.py", "A::f"),
    ):
        (runner,) = own.runners([given])
        assert runner.own == manifest.OwnCode(Path(path), label, function)
        assert runner.own.given == f"--own {given}"
        builds[given] = building.identity(runner, "1")
    assert len({builds[each] for each in ("mine.py", "mine.py:f", "mine.py:A.f")}) == 3
    for given, says in {
        "nowhere.py:f": "--own nowhere.py:f: no such file",
        "mine.py:": "--own mine.py:: the name of a function is missing",
        ":f": "--own :f: no such file",
        "read.c:f": "--own read.c:f: code that is written for iogauge says itself which functions",
    }.items():
        with pytest.raises(UserError, match=re.escape(says)):
            own.runners([given])


SUM = "long sum(const char *path) { return *path; }\n"
CRATE = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
COUNT = "pub fn count(path: &str) -> usize { path.len() }\n"
PACKAGE = {"package.json": '{"main": "a.js"}', "a.js": "exports.count = (path) => path.length;"}
MODULE = {"go.mod": "module a\n", "a.go": "package a\n\nfunc Count(path string) int { return 0 }\n"}


def test_what_is_no_text_is_no_source_code(tmp_path):
    (tmp_path / "junk.c").write_bytes(b"\x7f\x00\x01 int f(const char *path) {}")
    with pytest.raises(UserError, match="it is no text, and so no source code; give that"):
        own.runners([str(tmp_path / "junk.c")])


def test_a_program_that_does_not_speak_is_told_with_what_to_give_instead(tmp_path):
    (program := tmp_path / "silent").write_text("#!/bin/sh\n")
    program.chmod(0o755)
    ready, missing = preparing.prepare({}, print, own.runners([str(program)]))
    assert not ready and "it does not speak as docs/wire.md says" in missing[0].why
    assert "give source code, or a program that does" in missing[0].why


@pytest.mark.parametrize(
    ("files", "taker"),
    [
        ({"Cargo.toml": CRATE, "src/lib.rs": COUNT, "package.json": '{"private": true}'}, "rust"),
        ({"Cargo.toml": CRATE, "src/lib.rs": COUNT, **PACKAGE}, "Node or of Rust"),
        ({"__init__.py": "", "stray.go": MODULE["a.go"], "package.json": "{}"}, "python"),
        ({"__init__.py": "", **MODULE}, "Go or of Python"),
        ({**MODULE, "stray.c": SUM}, "go"),
        ({"a.c": SUM, "a.go": MODULE["a.go"]}, "C and C++ or of Go"),
        ({"a.rs": COUNT, "a.go": MODULE["a.go"]}, "Go or of Rust"),
        ({"a.rs": COUNT, "notes.md": ""}, "rust"),
        ({"a.c": SUM, "notes.md": ""}, "c"),
        ({"package.json": "{}", "src/a.c": SUM}, "c"),
    ],
)
def test_a_folder_is_of_the_language_whose_module_or_package_it_is(tmp_path, files, taker):
    """Where no file names one, of that whose sources are there; where two remain, a file is asked
    for.
    """
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    try:
        (runner,) = own.runners([str(tmp_path)])
        assert runner.name == taker
    except UserError as error:
        says = f"--own {tmp_path}: it may be a project of {taker}; give the file to measure"
        assert str(error) == says


def with_glue(folder: Path, **of_glue) -> Runner:
    """A runner that is built with such glue for code in this folder."""
    (folder / "code.c").write_text(SUM)
    (runner,) = own.runners([str(folder / "code.c")])
    return replace(runner, glue=Glue(folder, **of_glue))


def test_values_are_filled_in_once_and_as_json_and_toml_write_them(tmp_path, monkeypatch):
    odd = 'a"b\\c {second}'
    texts = {
        "own/a.json": '{"path": "{first}"}',
        "own/a.toml": 'path = "{first}"',
        "own/a.txt": "{first} {none}",
    }
    runner = with_glue(tmp_path, texts=texts, values={"first": odd, "second": "2"})
    runner = replace(runner, file=runner.file.model_copy(update={"own": None}))
    runner = runner.with_build(commands=[["sh", "-c", 'printf %s "$0" > said', "{first}"]])
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    built = building.build(runner, Installed(Path("/bin/sh"), Path("/"), "1"), lambda text: None)
    written = {name: (built / name).read_text() for name in (*texts, "said")}
    assert json.loads(written["own/a.json"]) == tomllib.loads(written["own/a.toml"])
    assert tomllib.loads(written["own/a.toml"]) == {"path": odd}
    assert (written["own/a.txt"], written["said"]) == (f"{odd} {{none}}", odd)


def test_a_file_that_cannot_be_read_is_told_in_a_line(tmp_path):
    pipe, gone = tmp_path / "pipe.h", tmp_path / "gone.h"
    os.mkfifo(pipe), gone.symlink_to("nowhere.h")
    for path, says in {
        pipe: "no ordinary file",
        gone: "No such file",
        tmp_path: "no ordinary",
    }.items():
        runner = with_glue(tmp_path, reads=(("one.h", path),))
        with pytest.raises(UserError, match=f"^{re.escape(str(path))}: {says}[^\n]*$"):
            building.identity(runner, "1")
    with pytest.raises(UserError, match="no such file or folder"):
        own.runners([str(pipe)])


def test_a_folder_is_what_is_in_it(tmp_path, monkeypatch):
    """The only package of a project, or its only file; else it says what to give."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "app/pyproject.toml",
        "app/src/logkit/__init__.py",
        "app/tests/__init__.py",
        "app/setup.py",
        "one/read.mjs",
        "one/notes.txt",
        "two/a.py",
        "two/b.py",
        "flat/kit/__init__.py",
        "none/notes.txt",
        "B=b.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for given, found in {
        "app": "app/src/logkit",
        "flat": "flat/kit",
        "Old=one": "one/read.mjs",
    }.items():
        (runner,) = own.runners([given])
        assert runner.own and str(runner.own.path) == found
    for given, says in {
        "two": "--own two: no package by itself; give a file or package of it: two/a.py or two/b",
        "none": "--own none: no code in this folder; give the file that has your function",
    }.items():
        with pytest.raises(UserError, match=f"^{re.escape(says)}"):
            own.runners([given])


@pytest.mark.parametrize(
    ("given", "more", "says"),
    [
        (
            ["a.c"],
            {"flags": ["new=-O3"]},
            "--own-flags new=-O3: no --own has that name; write --own new=…",
        ),
        (["old=a.c"], {"flags": ["new=-O3"]}, "no --own has that name; there are: old"),
        (["a.c"], {"paths": ["lib"]}, "--own-path: --own a.c takes none; leave it out"),
        (["A.java"], {"paths": ["nosuch/*"]}, "--own-path nosuch/*: no jar there"),
        (["A.java"], {"paths": ["lib/*"]}, "--own-path lib/*: no jar there"),
        (["A.java"], {"paths": ["nosuch.jar"]}, "--own-path nosuch.jar: no such file or folder"),
    ],
)
def test_what_compilers_are_told_must_be_for_code_that_is_there(
    tmp_path, monkeypatch, given, more, says
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.c").write_text(SUM)
    (tmp_path / "A.java").write_text("class A { static int f(String path) { return 0; } }")
    (tmp_path / "lib").mkdir()
    with pytest.raises(UserError, match=re.escape(says)):
        own.runners(given, more=own.More(**more))


def test_all_jars_of_a_folder_are_on_the_class_path(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(own.language, "glue", lambda _, given: seen.append(given) or Glue(tmp_path))
    (tmp_path / "A.java").write_text("class A { static int f(String path) { return 0; } }")
    (tmp_path / "lib").mkdir(), (tmp_path / "classes").mkdir()
    for name in ("b.jar", "a.jar", "notes.txt"):
        (tmp_path / "lib" / name).touch()
    paths = [f"{tmp_path}/lib/*:{tmp_path}/classes"]
    own.runners([str(tmp_path / "A.java")], more=own.More(paths=paths))
    names = [str(each.relative_to(tmp_path)) for each in seen[0].class_path]
    assert names == ["lib/a.jar", "lib/b.jar", "classes"]


def cause(tmp_path, output: str) -> str:
    return why_failed(Failed("tool", "ended with status 1", output), tmp_path, was_full=False)


@pytest.mark.parametrize(
    "output",
    [
        "go: module lookup: dial tcp: lookup host: no such host\n",
        "Cannot access central (https://host) in offline mode and the artifact x has not been downloaded",
        "warning: spurious network error (3 tries remaining): [6] Could not resolve host: host\n",
        "attempting to make an HTTP request, but --offline was specified: consider the --offline flag",
        "proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused",
        "PKIX path building failed: unable to find valid certification path",
        "SSL certificate problem: self-signed certificate in certificate chain",
    ],
)
def test_what_cannot_be_fetched_is_told_as_such(tmp_path, output):
    assert "could not fetch what it needs" in cause(tmp_path, output)


def test_a_name_in_the_sources_is_no_matter_of_the_network(tmp_path):
    of_sources = (
        "error: cannot find type `Proxy` in this scope",
        "proxy.go:3: undefined: certificate",
    )
    for output in (*of_sources, ""):
        assert "could not fetch" not in cause(tmp_path, output)
