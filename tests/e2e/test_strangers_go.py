"""Code in Go as strangers write it: each file and folder of tests/strangers/go gives the numbers, or
the one line, that tests/strangers/expected-go.toml has for it.
"""

import shutil
import subprocess
import sys

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
    assert "it returns a different result from CountLines(path) of" in strangers.said(done)


@pytest.mark.long
def test_code_that_cannot_be_written_beside_is_measured(iogauge_process, here):
    """A module, one with a vendor folder, a workspace and a file alone, on a read-only mount."""
    mount = f"mount --bind {here} {here} && mount -o remount,ro,bind {here}"
    started = ["unshare", "--mount", "sh", "-c"]
    if subprocess.run([*started, mount], capture_output=True).returncode:
        pytest.skip("nobody may mount here")
    (out := here.with_name("elsewhere")).mkdir(exist_ok=True)
    for own in ("logtools", "vendored", "workspace", "one.go"):
        words = f"{here}/log --own {here}/{own} --dir {out} --budget 1s"
        script = f"{mount} && ! touch {here}/x && {sys.executable} -m iogauge {words}"
        done = subprocess.run([*started, script], capture_output=True, text=True)
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
    assert "own-read-text: " not in done.stdout, done.stdout
