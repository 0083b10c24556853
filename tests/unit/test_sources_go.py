"""Functions in Go as their source declares them: which are measured, what they get, and what the
build of their package reads.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogauge.runners import manifest
from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.go import files, glue, modules

RUNNER = manifest.sources_folder() / "go"


def given(folder: Path, text: str, function: str = "") -> Given:
    path = folder / "code.go"
    path.write_text(text if text.startswith(("//", "package")) else f"package code\n\n{text}\n")
    return Given(path, RUNNER, function)


def calls(made: Glue) -> list[str]:
    """What the glue calls of theirs, and how it takes results: `Count(iogaugePath) Anything`."""
    (source,) = (text for name, text in made.texts.items() if name.endswith("glue_test.go"))
    return [line.strip() for line in source.splitlines() if line.startswith("\t")]


def text_of(folder: Path, text: str, function: str = "") -> str:
    return "\n".join(calls(glue(given(folder, text, function))))


@pytest.mark.parametrize(
    ("parameters", "call"),
    [
        ("path string", "F(iogaugePath)"),
        ("ctx context.Context, path string", "F(iogauge.Context(), iogaugePath)"),
        ("name, mode string", None),
        ("path string, opts ...Option", "F(iogaugePath)"),
        ("paths ...string", "F(iogaugePath)"),
        ("files []string", "F([]string{iogaugePath})"),
        ("name Path", "F(Path(iogaugePath))"),
        ("f *os.File", "F(iogaugeFile)"),
        ("r stream.Reader", "F(iogaugeFile)"),
        ("source source", "F(iogaugeFile)"),
        ("in *bufio.Reader", "F(iogauge.Reader(iogaugeFile))"),
        ("fd uintptr", "F(uintptr(iogaugeFile.Fd()))"),
        ("path string, config Config", "F(iogaugePath, *new(Config))"),
        ("path string, config *Config", "F(iogaugePath, new(Config))"),
        ("path string, w stream.Writer", "F(iogaugePath, iogaugeTo)"),
        ("path string, visit func(Config, int) error", "F(iogaugePath, iogauge.Visit2OrFail)"),
        ("path string, bufSize int", "F(iogaugePath, 32 << 10)"),
        ("path string, numWorkers int", "F(iogaugePath, iogauge.Workers())"),
        ("path string, wg *sync.WaitGroup", "F(iogaugePath, iogauge.Group())"),
        ("path string, out chan<- string", "F(iogaugePath, iogaugeSent0.Channel)"),
        ("path string, retries int", None),
        ("path string, at time.Time", None),
    ],
)
def test_a_parameter_gets_what_its_type_takes(tmp_path, parameters, call):
    text = f"""
import ("bufio"; "context"; stream "io"; "os"; "sync"; "time")
type Path string
type Option func(*Config)
type Config struct {{ size int }}
type source interface {{ stream.Reader; stream.Seeker }}
func F({parameters}) error {{ return nil }}"""
    if call is None:
        with pytest.raises(Wrong, match=r"F\(.+\) needs .+ besides a file"):
            glue(given(tmp_path, text))
    else:
        assert f":= {call}" in text_of(tmp_path, text)


@pytest.mark.parametrize(
    ("results", "taken"),
    [
        ("int", "iogauge.Anything iogauge.Keep(iogaugeTo, 0, iogauge0)"),
        ("[]byte, error", "iogauge.Bytes iogauge.Text(iogaugeTo, iogauge0)"),
        ("(lines []string, err error)", "iogauge.Lines iogauge.Slice(iogaugeTo, iogauge0)"),
        ("iter.Seq[string]", "iogauge.Lines iogauge.Each(iogaugeTo, iogauge0)"),
        ("func(func([]byte) bool)", "iogauge.Lines iogauge.Each(iogaugeTo, iogauge0)"),
        ("iter.Seq[int]", "iogauge.Anything iogauge.Run(iogauge0)"),
        ("<-chan string, error", "iogauge.Lines iogauge.Receive(iogaugeTo, iogauge0)"),
        ("io.ReadCloser, error", "iogauge.Bytes iogaugeErr := iogauge.Rest(iogaugeTo, iogauge0)"),
        ("string, int", "iogauge.Anything iogauge.Keep(iogaugeTo, 1, iogauge1)"),
        ("Lines", "iogauge.Lines iogauge.Slice(iogaugeTo, iogauge0)"),
        ("*Wrong", "iogauge.Anything iogaugeErr := iogauge.Failure(iogauge0)"),
        ("", "iogauge.Anything F(iogaugePath)"),
    ],
)
def test_a_result_is_taken_as_its_type_says(tmp_path, results, taken):
    results = results if results.startswith("(") or "," not in results else f"({results})"
    text = f"""
import ("io"; "iter")
type Lines []string
type Wrong struct {{}}
func (w *Wrong) Error() string {{ return "" }}
func F(path string) {results} {{ panic(0) }}"""
    kind, line = taken.split(" ", 1)
    said = text_of(tmp_path, text)
    assert f'"F(path)", {kind}, ' in said and line in said


def test_methods_of_what_a_function_makes_of_a_file_count(tmp_path):
    text = """
import "io"
type Log struct { n int }
func NewLog(r io.Reader) (*Log, error) { return nil, nil }
func (l *Log) Count() int { x := 1; return x }
func (l *Log) Next() (string, bool) { return "", false }
func (l *Log) N() int { return l.n }
func (l *Log) Close() error { return nil }
"""
    said = text_of(tmp_path, text)
    assert "iogaugeMade, iogaugeMadeErr := NewLog(iogaugeFile)" in said
    assert "defer iogaugeMade.Close()" in said and '"Log.Count(r)"' in said
    assert "if !iogauge1 { return nil }" in said  # until Next ends
    assert '"Log.N(' not in said and '"NewLog' not in said and '"Log.Close' not in said
    assert '"NewLog(r)"' in text_of(tmp_path, text, "NewLog")


def test_a_name_is_a_path_where_the_function_opens_it(tmp_path):
    text = """import "context"
type Option func()
type Reader struct { n int }
func Open(ctx context.Context, name string, opts ...Option) (*Reader, error) { return nil, nil }
func (r *Reader) Lines() ([]string, error) { return nil, nil }
func ReadAll(name string) int { return 1 }
func Greet(name string) int { return 1 }
func Count(path string) int { return 1 }
func Column(path string, col int) int { return 1 }
"""
    made = glue(given(tmp_path, text))
    found = "\n".join(calls(made))
    assert "Open(iogauge.Context(), iogaugePath)" in found and "ReadAll(iogaugePath)" in found
    assert "Greet" not in found
    assert [each.partition(" besides")[0] for each in made.left_out] == ["Column() needs col"]


def test_methods_of_a_zero_value_and_of_a_path_count(tmp_path):
    text = """
type Counter struct{}
func (c *Counter) Add(path string) {}
type Path string
type Parser struct { Filename, mode string }
func (p Parser) Parse() error { _ = p.Filename; return nil }
func (p Path) Size() int { return len(p) }
func (p Path) Sum() int { n := len(p); return n }
"""
    said = text_of(tmp_path, text)
    assert "var iogaugeMade Counter" in said and "iogaugeMade := Path(iogaugePath)" in said
    assert "iogaugeMade := Parser{Filename: iogaugePath}" in said
    assert '"Path.Sum(path)"' in said and "Path.Size" not in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("func F[T any](path string) T { panic(0) }", r"F\(path\) needs a type for T; write"),
        ("type S[T any] struct{}\nfunc (s *S[T]) F(path string) {}", "a type with parameters"),
        ("func main() {}", r"main\(\) takes nothing; let it take a path"),
        ("//go:build windows\n\npackage code\nfunc F(path string) {}", "not compiled on this mach"),
        ("package = 3", "does not begin with a package clause"),
    ],
)
def test_what_cannot_be_called_is_told(tmp_path, text, says):
    with pytest.raises(Wrong, match=says):
        glue(given(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "head", "here"),
    [
        ("a.go", "", True),
        ("a_linux.go", "", True),
        ("linux.go", "", True),
        ("windows.go", "", True),
        ("a_windows.go", "", False),
        ("a_linux_wasm.go", "", False),
        ("a.go", "//go:build ignore\n", False),
        ("a.go", "//go:build linux && !windows && go1.20\n", True),
        ("a.go", "//go:build (darwin || unix) && !(linux)\n", False),
        ("a.go", "// +build linux,!windows darwin\n", True),
    ],
)
def test_files_for_other_machines_are_left_out(tmp_path, name, head, here):
    path = tmp_path / name
    path.write_text(f"{head}\npackage a\n")
    assert files.is_for_here(path) is here


def test_a_file_alone_brings_those_that_it_needs(tmp_path):
    (tmp_path / "needed.go").write_text("package code\nfunc helper() {}\n")
    (tmp_path / "other.go").write_text("package code\nfunc main() {}\n")
    (tmp_path / "foreign.go").write_text("package foreign\nfunc helper() {}\n")
    text = 'import _ "embed"\n//go:embed words.txt\nvar words string\nfunc main() {}\nfunc F(path string) { helper() }'
    (tmp_path / "words.txt").touch()
    made = glue(given(tmp_path, text))
    assert [place for place, _ in made.copies] == ["own/code.go", "own/needed.go", "own/words.txt"]


def test_a_file_alone_is_built_whatever_its_constraint_says(tmp_path):
    head = "//go:build ignore\n// +build ignore\n\n// Says more.\npackage main\n"
    made = glue(given(tmp_path, f"{head}func f(path string) {{}}\nfunc main() {{}}\n"))
    text = made.verbatim["own/code.go"]
    assert text.startswith("\n\n\n// Says more.\npackage main\nfunc f") and not made.copies


def test_a_file_alone_brings_its_headers_and_their_sources(tmp_path):
    for name in ("sums.c", "code.c", "other.c", "inner.h"):
        (tmp_path / name).touch()
    (tmp_path / "sums.h").write_text('#include "inner.h"\n')
    made = glue(given(tmp_path, '/*\n#include "sums.h"\n*/\nimport "C"\nfunc F(path string) {}'))
    places = ["code.go", "code.c", "inner.h", "sums.c", "sums.h"]
    assert [place for place, _ in made.copies] == [f"own/{each}" for each in places]


def test_a_call_that_does_not_compile_has_a_line_that_stands_for_it(tmp_path):
    made = glue(given(tmp_path, "func F(path string) {}\nfunc G(path string) int { return 0 }"))
    place, lines = next(iter(made.otherwise.items()))
    found = {number: made.texts[place].splitlines()[number - 1] for number in lines}
    assert ['Add("F", "F(path)"' in each for each in found.values()] == [True, False]
    assert [*lines.values()] == [
        *('\tiogauge.Without("F", "F(path)", {why})', '\tiogauge.Without("G", "G(path)", {why})')
    ]


@pytest.fixture
def workspace(tmp_path):
    """A module with a package below it, another one in its workspace, and one by `replace`."""
    for name, text in {
        "go.work": "go 1.22\nuse (\n\t./app // ours\n\t./lib\n)\n",
        "app/go.mod": "module example.com/app\nreplace example.com/old v1.0.0 => ../old\n",
        "app/go.sum": "",
        "app/main.go": 'package main\nimport ("example.com/app/in"; o "example.com/old/x")\nfunc f(path string) {}',
        "app/main_test.go": "package main\n",
        "app/in/in.go": '/*\nconst char *x;\n*/\npackage in\nimport "example.com/lib"\n',
        "app/in/in_test.go": "package in\n",
        "app/unused/unused.go": "package unused\n",
        "lib/go.mod": "module example.com/lib\n",
        "lib/lib.go": 'package lib\nimport "C"\n',
        "lib/lib.h": "",
        "old/go.mod": "module example.com/old\n",
        "old/x/x.go": "package x\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_build_reads_what_its_package_imports_on_this_machine(workspace):
    made = glue(Given(workspace / "app", RUNNER))
    assert [name for name, _ in made.reads] == [
        *("../go.work", "../lib/go.mod", "../lib/lib.go", "../lib/lib.h", "../old/go.mod"),
        *("../old/x/x.go", "go.mod", "go.sum", "in/in.go", "main.go"),
    ]
    (command,) = made.commands
    assert command[:3] == ("env", "CGO_ENABLED=1", "GOWORK={build}/glue/go.work")


def test_what_go_adds_to_the_sums_of_a_workspace_goes_to_a_copy(workspace):
    text = 'go 1.22\nuse ./app\nuse (\n\t"./lib"\n)\nreplace (\n\ta.b/c v1.0.0 => ../c\n\ta.b/d => e.f/g v1.2.3\n)\n'
    (workspace / "go.work").write_text(text)
    (workspace / "go.work.sum").write_text("")
    made = glue(Given(workspace / "app", RUNNER))
    assert made.texts["glue/go.work"].splitlines() == [
        *("go 1.22", "use {work_0}", "use {work_1}"),
        *("replace a.b/c v1.0.0 => {work_2}", "replace a.b/d => e.f/g v1.2.3"),
    ]
    folders = [json.loads(made.values[f"work_{each}"]) for each in range(3)]
    assert folders == [str(workspace / each) for each in ("app", "lib")] + [
        str(workspace.parent / "c")
    ]
    assert made.copies == (("glue/go.work.sum", workspace / "go.work.sum"),)
    # With a folder `vendor`, which Go finds beside its own file of the workspace, it adds nothing.
    (workspace / "vendor").mkdir()
    made = glue(Given(workspace / "app", RUNNER))
    assert "glue/go.work" not in made.texts and made.copies == ()


def test_what_lies_in_a_vendor_folder_is_read(workspace):
    vendor = workspace / "app" / "vendor"
    (workspace / "go.work").unlink()
    (vendor / "example.com" / "old" / "x").mkdir(parents=True)
    (vendor / "example.com" / "old" / "x" / "x.go").write_text("package x\n")
    names = [name for name, _ in glue(Given(workspace / "app", RUNNER)).reads]
    assert not any(each.startswith("vendor") for each in names)
    (vendor / "modules.txt").touch()
    names = [name for name, _ in glue(Given(workspace / "app", RUNNER)).reads]
    assert [each for each in names if each.startswith("vendor")] == [
        *("vendor/example.com/old/x/x.go", "vendor/modules.txt")
    ]


def test_what_c_brings_from_elsewhere_is_read_and_go_builds_anew_where_it_changes(workspace):
    (workspace / "app" / "main.go").write_text("""package main
// #cgo CFLAGS: -I${SRCDIR}/../include
// #cgo LDFLAGS: -L../libs -lsums
// #include <sums.h>
import "C"
func f(path string) {}
""")
    for name, text in {
        "include/sums.h": '#include "deep/inner.h"\n#include <stdio.h>\n',
        "include/deep/inner.h": "",
        "include/unused.h": "",
        "libs/libsums.a": "",
    }.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    made = glue(Given(workspace / "app", RUNNER))
    assert [name for name, _ in made.reads if name.startswith(("../inc", "../libs"))] == [
        *("../include/deep/inner.h", "../include/sums.h", "../libs/libsums.a")
    ]
    (workspace / "include" / "deep" / "inner.h").write_text("#define ONE 1\n")
    changed = glue(Given(workspace / "app", RUNNER))
    for words in (made.commands, changed.commands):
        assert [each for each in words[0] if each.startswith("CGO_CPPFLAGS=-D")]
    assert made.commands != changed.commands


def test_glue_is_laid_over_the_module_and_their_tests_are_not_there(workspace):
    made = glue(Given(workspace / "app", RUNNER))
    places = json.loads(made.texts["glue/overlay.json"])["Replace"]
    assert places["{package}/main_test.go"] == ""
    assert places["{package}/iogauge_glue_test.go"] == "{build}/glue/iogauge_glue_test.go"
    assert places["{module}/iogauge_runner/plain/plain.go"]
    text = made.texts["glue/iogauge_runner/plain/plain.go"]
    assert '"example.com/app/iogauge_runner/consume"' in text and "iogauge/runners/go" not in text


def test_a_module_outside_of_the_workspace_above_it_is_built_without_that(workspace):
    (workspace / "go.work").write_text("go 1.22\nuse ./lib\n")
    (command,) = glue(Given(workspace / "app", RUNNER)).commands
    assert "GOWORK=off" in command
    found = modules.around(workspace / "app" / "in")
    assert found and found.folder == workspace / "app" and found.work is None


def test_functions_below_a_module_are_found_and_of_several_packages_one_is_asked_for(workspace):
    (workspace / "app" / "main.go").unlink()
    (workspace / "app" / "in" / "in.go").write_text("package in\nfunc Count(path string) {}\n")
    assert "{ Count(iogaugePath); " in "".join(calls(glue(Given(workspace / "app", RUNNER))))
    (workspace / "app" / "unused" / "unused.go").write_text("package u\nfunc Sum(path string) {}\n")
    with pytest.raises(
        Wrong, match="several of its packages have .+; give one of them: in, unused"
    ):
        glue(Given(workspace / "app", RUNNER))
    (_, _, call) = calls(glue(Given(workspace / "app", RUNNER, "u.Sum")))
    assert "{ Sum(iogaugePath); " in call


def test_two_programs_in_a_folder_are_told(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.go").write_text("package main\nfunc main() {}\n")
    with pytest.raises(Wrong, match="a.go and b.go are programs of their own; give one"):
        glue(Given(tmp_path, RUNNER))


def test_what_the_runner_imports_is_in_the_standard_library_or_comes_along():
    """Glue is a part of a module that has no packages of ours."""
    for package in ("consume", "harness", "plain", "plain/unix", "strategies"):
        for path in (RUNNER / package).glob("*.go"):
            for each in () if path.name.endswith("_test.go") else files.uses(path).imports:
                ours = each.startswith("iogauge/runners/go/") or each == "golang.org/x/sys/unix"
                assert ours or "." not in each.partition("/")[0], (path, each)


def test_a_file_alone_may_begin_with_a_dash_and_one_of_a_module_may_not(tmp_path):
    (tmp_path / "-x.go").write_text("package x\n\nfunc F(path string) int { return 1 }\n")
    made = glue(Given(tmp_path / "-x.go", RUNNER))
    assert made.copies == (("own/x-x.go", tmp_path / "-x.go"),)
    (tmp_path / "go.mod").write_text("module x\n\ngo 1.22\n")
    with pytest.raises(Wrong, match="go takes no file called -x.go"):
        glue(Given(tmp_path / "-x.go", RUNNER))
