"""Code in Go as strangers write it: each file and folder of tests/strangers/go gives the numbers, or
the one line, that tests/strangers/expected-go.toml has for it.
"""

import re
import shutil
import zipfile

import pytest
import strangers

QUICK = ("gocsv",)  # of `make test`
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("go"), reason="no Go"),
]


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, "go")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", strangers.named("go", QUICK))
def test_code_of_a_stranger(iogauge, here, name):
    strangers.check(iogauge, here, "go", name)


@pytest.mark.long
def test_a_second_run_runs_no_compiler_unless_something_that_is_read_has_changed(iogauge, here):
    def prepared() -> bool:
        done = iogauge("log", "--own", "logtools:CountMatches", "--dir", ".", "--budget", "1s")
        assert done.returncode == 0, strangers.said(done)
        return "preparing --own" in done.stderr

    words = here / "logtools" / "internal" / "pattern" / "words.txt"
    words.write_text(f"{words.read_text()}{here}\n")  # that nobody measured before
    assert prepared() and not prepared()
    (here / "logtools" / "cmd" / "logtools" / "main.go").write_text("package main\n")
    assert not prepared()
    words.write_text("WARN\n" + words.read_text())
    assert prepared()


@pytest.mark.long
def test_a_mistake_in_a_package_that_is_imported_is_told_in_a_line(iogauge, here):
    pattern = here / "logtools" / "internal" / "pattern" / "pattern.go"
    pattern.write_text(pattern.read_text().replace("strings.Contains", "strings.Contain"))
    done = iogauge("log", "--own", "logtools/reader")
    says = "--own logtools/reader: internal/pattern/pattern.go:15: undefined: strings.Contain"
    assert done.returncode == 2 and done.stderr.endswith(f"iogauge: {says}\n"), done.stderr


@pytest.mark.long
def test_two_versions_of_a_function_are_compared(iogauge, here):
    """By their results, and where these differ that is said."""
    for name, end in {"old": "n", "new": "n + 1"}.items():
        text = (here / "count.go").read_text().replace("return n,", f"return {end},")
        (here / f"{name}.go").write_text(text)
    given = ["--own", "old=old.go", "--own", "new=new.go", "--dir", ".", "--budget", "1s"]
    done = iogauge("log", *given)
    assert done.returncode == 0, strangers.said(done)
    assert "Go (old)" in done.stdout and "Go (new)" in done.stdout
    assert "Results differ: CountLines(path) of" in strangers.said(done)


@pytest.mark.long
def test_code_that_cannot_be_written_beside_is_measured(here):
    """A module, one with a vendor folder, a workspace and a file alone, on a read-only mount."""
    out = str(strangers.elsewhere(here))
    for own in ("logtools", "vendored", "workspace", "one.go"):
        done = strangers.read_only(here, "log", "--own", own, "--dir", out, "--budget", "1s")
        assert done.returncode == 0, strangers.said(done)


@pytest.mark.long
def test_code_that_is_written_for_the_runner_is_taken_as_such(iogauge, here):
    (here / "api").mkdir()
    (here / "api" / "go.mod").write_text("module example.com/api\n\ngo 1.22\n")
    (here / "api" / "main.go").write_text("""package main

import (
	"os"

	"iogauge/runners/go/way"
)

func Size(path string) error { _, err := os.ReadFile(path); return err }

func main() {
	way.Anything("mine", Size)
	way.Main()
}
""")
    done = iogauge("log", "--own", "api", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0 and set(strangers.cases(iogauge)) == {"mine"}, strangers.said(done)


@pytest.mark.long
def test_the_check_takes_a_function_as_it_stands(iogauge, here):
    done = iogauge("check", "unsafe_text.go")
    assert done.returncode == 0, strangers.said(done)
    assert re.fullmatch(r"go-[\d.]+: (\d+) of \1 checks passed\n", done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_header_that_lies_elsewhere_is_compiled_anew_where_it_changes(iogauge, here):
    """Go's own cache does not know it."""
    for name, text in {
        "include/limit.h": "#define LIMIT 1\n",
        "limited/go.mod": "module example.com/limited\n\ngo 1.22\n",
        "limited/limited.go": """package limited

// #cgo CFLAGS: -I${SRCDIR}/../include
// #include <limit.h>
import "C"

import (
	"fmt"
	"os"
)

func Size(path string) (int, error) {
	data, err := os.ReadFile(path)
	if C.LIMIT != 1 {
		return 0, fmt.Errorf("a limit of %d", C.LIMIT)
	}
	return len(data), err
}
""",
    }.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    words = ["log", "--own", "limited", "--dir", strangers.elsewhere(here), "--budget", "1s"]
    done = iogauge(*words)
    assert done.returncode == 0, strangers.said(done)
    (here / "include" / "limit.h").write_text("#define LIMIT 2\n")
    done = iogauge(*words)
    assert done.returncode == 2 and "a limit of 2" in done.stderr, strangers.said(done)


@pytest.mark.long
def test_what_go_adds_to_the_sums_of_a_workspace_is_not_written_beside_it(
    iogauge, here, monkeypatch
):
    """A workspace that needs a module of others, of which it has no sums yet."""
    proxy, module = here.with_name("proxy") / "example.com" / "dep" / "@v", "example.com/dep"
    proxy.mkdir(parents=True)
    (proxy / "list").write_text("v1.0.0\n")
    (proxy / "v1.0.0.info").write_text('{"Version": "v1.0.0"}')
    (proxy / "v1.0.0.mod").write_text(f"module {module}\n")
    with zipfile.ZipFile(proxy / "v1.0.0.zip", "w") as packed:
        packed.writestr(f"{module}@v1.0.0/go.mod", f"module {module}\n")
        packed.writestr(f"{module}@v1.0.0/dep.go", "package dep\n\nconst One = 1\n")
    for name, text in {
        "sums/go.work": "go 1.22\n\nuse ./app\n",
        "sums/app/go.mod": f"module example.com/app\n\ngo 1.22\n\nrequire {module} v1.0.0\n",
        "sums/app/app.go": f"""package app

import (
	"os"

	"{module}"
)

func Size(path string) (int, error) {{
	data, err := os.ReadFile(path)
	return len(data) * dep.One, err
}}
""",
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text)
    monkeypatch.setenv("GOPROXY", f"file://{here.with_name('proxy')}")
    monkeypatch.setenv("GONOSUMDB", "*")
    monkeypatch.setenv("GOMODCACHE", str(here.with_name("modules")))  # it is not there
    before = strangers.everything(here)
    words = ["log", "--own", "sums/app", "--dir", strangers.elsewhere(here), "--budget", "1s"]
    done = iogauge(*words)
    assert done.returncode == 0, strangers.said(done)
    strangers.must_be_as_it_was(here, before)
