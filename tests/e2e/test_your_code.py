"""Code of the user's own: every example of docs/your-code.md is run from its text."""

import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "your-code.md").read_text("utf-8")
run_quietly = partial(subprocess.call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
TIME = r"(?:, simplest)?\s+[\d.]+ [mµn]?s\b"  # behind a name
SPEED = r"\s+[\d.]+ [MG]B/s"


def section(heading: str) -> str:
    return re.split(r"^## ", PAGE.partition(f"## {heading}\n")[2], flags=re.MULTILINE)[0]


def code(heading: str, kind: str, number: int = 0) -> str:
    return re.findall(rf"```{kind}\n(.*?)```", section(heading), re.DOTALL)[number]


@pytest.fixture
def here(disk_folder, monkeypatch):
    """The folder in which a user works, with the file that the page reads."""
    folder = disk_folder / "user"
    folder.mkdir(exist_ok=True)
    lines = (f"2026-01-01 {i} a line of some length\n" for i in range(9000))
    (folder / "access.log").write_text("".join(lines))
    monkeypatch.chdir(folder)
    return folder


def command(heading: str, number: int = 0) -> list[str]:
    name, *words = code(heading, "sh", number).splitlines()[-1].split()
    assert name == "iogauge"
    return [*words, "--budget", "1s", "--dir", "."]


def measured(iogauge, heading: str, number: int = 0):
    """What the last command of a section does."""
    done = iogauge(*command(heading, number))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.real
def test_a_function_in_python_is_compared_with_others(iogauge, here):
    (here / "read_log.py").write_text(code("Python", "python"))
    done = measured(iogauge, "Python")
    for name in (r"read_blocks\(path\)", r"open\(\).read\(\)", r"mmap.mmap"):
        assert re.search(name + TIME, done.stdout), done.stdout


@pytest.mark.real
def test_functions_in_python_that_return_a_number_are_compared_with_each_other(iogauge, here):
    """As they stand: what they read is not checked. One that reads only a part, where others read
    all of the file, gets no number.
    """
    less = "\n\ndef start_of_it(path):\n    return len(open(path, 'rb').read(8))\n"
    (here / "count_errors.py").write_text(code("Python", "python", 1) + less)
    done = measured(iogauge, "Python", 1)
    assert "Which of your functions is fastest" in done.stdout
    assert "what your code reads is not checked" in " ".join(done.stdout.split())
    for name in ("count_lines_of_text", "count_lines_of_bytes"):
        assert re.search(name + r"\(path\)\s+[\d.]+ [mµn]?s\b", done.stdout), done.stdout
    assert "start_of_it(path): it reads only 4 KiB of" in " ".join(done.stdout.split())
    assert re.search(r"start_of_it\(path\) +no number", done.stdout), done.stdout
    groups, unlike = json.loads(iogauge("show", "--json").stdout)["groups"][:1], {}
    for case in [case for group in groups for case in group["cases"]]:
        assert case["checked"] is False
        less = any(each.startswith("its calls read 4 KiB of") for each in case["caveats"])
        assert less == (case["display"] == "start_of_it(path)"), case
        others = any(
            each.startswith("it returns a different result from") for each in case["caveats"]
        )
        unlike.setdefault(others, set()).add(case["display"])
    assert {"start_of_it(path)"} in unlike.values(), unlike


@pytest.mark.real
@pytest.mark.long
def test_a_function_that_takes_only_files_of_its_kind_is_measured_and_one_that_reads_none_is_told(
    iogauge, here
):
    """What it is tried with has no header; it is no reason not to measure it."""
    (here / "sales.csv").write_text("id,amount\n" + "1,2.5\n" * 9000)
    text = """import csv
def total(csv_path):
    with open(csv_path, newline="") as file:
        return sum(float(row["amount"]) for row in csv.DictReader(file))
def kept(csv_path, known={}):
    return known.setdefault(csv_path, total(csv_path) if not known else 0)
"""
    (here / "sales.py").write_text(text)
    done = iogauge("sales.csv", "--own", "sales.py", "--budget", "4s", "--dir", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert "kept(path): it reads nothing of the file" in said, done.stdout
    assert "total(path): it reads" not in said


@pytest.mark.real
def test_versions_that_declare_lines_and_bytes_are_not_compared(iogauge, here):
    lines = "yield from open(path)\nf.returns = 'lines'"
    data = "return open(path, 'rb').read()\nf.returns = 'bytes'"
    (here / "old.py").write_text(f"def f(path):\n    {lines}\n")
    (here / "new.py").write_text(f"def f(path):\n    {data}\n")
    done = iogauge("access.log", "--own", "old=old.py", "--own", "new=new.py")
    says = "--own: f(path) gives back lines in old, bytes in new, which cannot be compared"
    assert done.returncode == 2 and says in done.stderr


@pytest.mark.real
def test_a_function_that_changes_its_file_is_never_called_with_the_users(iogauge, here):
    """Alone it is why nothing is measured, and beside others it is left out."""
    file, says = here / "mine.txt", "f() changes the file that it is given; iogauge measures only"
    file.write_text("x" * 5000)
    changes = "def f(path):\n    open(path, 'a').write('x')\n"
    (here / "grows.py").write_text(changes)
    done = iogauge("mine.txt", "--own", "grows.py", "--budget", "2s", "--dir", ".")
    assert done.returncode == 2 and f"iogauge: --own grows.py: {says}" in done.stderr, done.stderr
    (here / "grows.py").write_text(f"{changes}def g(path):\n    return len(open(path).read())\n")
    done = iogauge("mine.txt", "--own", "grows.py", "--budget", "2s", "--dir", ".")
    assert done.returncode == 0 and f"not measured: {says}" in done.stderr, done.stderr
    assert re.search(r"g\(path\)" + TIME, done.stdout), done.stdout
    assert file.read_text() == "x" * 5000


@pytest.mark.real
@pytest.mark.parametrize("name", ["mine.py", pytest.param("mine.mjs", marks=pytest.mark.long)])
@pytest.mark.long
def test_functions_that_end_the_process_hard_are_left_out(iogauge, here, name):
    """Each time anew; and alone it is why nothing is measured."""
    text = """import os, signal
def bye(path):
    os._exit(3)
def size(path):
    return len(open(path, "rb").read())
def hard(path):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    if name == "mine.mjs":
        if not shutil.which("node"):
            pytest.skip("no Node")
        text = """import fs from 'node:fs';
export function bye(path) { process.kill(process.pid, 'SIGKILL'); }
export function size(path) { return fs.readFileSync(path).length; }
export function hard(path) { process.abort(); }
"""
    (here / name).write_text(text)
    for _ in range(2):
        done = iogauge("access.log", "--own", name, "--budget", "1s", "--dir", ".")
        assert re.search(r"size\(path\)" + TIME, done.stdout), done.stdout + done.stderr
        for each in ("bye", "hard"):
            assert f"not measured: {each}() ends the program; let it return, or " in done.stderr
    done = iogauge("access.log", "--own", f"{name}:hard", "--dir", ".")
    assert done.returncode == 2 and f"--own {name}:hard: hard() ends the program; " in done.stderr


@pytest.mark.real
def test_a_function_that_harms_only_a_large_file_gets_a_copy_of_it(iogauge, here):
    (here / "mine.txt").write_text("x" * 5000)
    rotates = """import os
def rotate(path):
    if os.path.getsize(open(path).name) > 99:
        os.rename(path, path + ".1")
    return 1
"""
    (here / "rotates.py").write_text(rotates)
    done = iogauge("mine.txt", "--own", "rotates.py", "--budget", "2s", "--dir", ".")
    says = "rotate() changes the file that it is given; iogauge measures only what reads"
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert (here / "mine.txt").read_text() == "x" * 5000
    assert not (here / "mine.txt.1").exists()
    assert not [*here.glob("iogauge-data/written-*")]


@pytest.mark.real
@pytest.mark.parametrize(
    ("harm", "says"),
    [("open(path, 'a').write('x')", "has changed"), ("os.unlink(path)", "was removed")],
)
def test_a_function_that_changes_its_file_later_is_named(iogauge, here, harm, says):
    (here / "mine.txt").write_text("x" * 5000)
    text = "import os\ndef f(path, calls=[]):\n    calls.append(path)\n    open(path).read()\n"
    (here / "grows.py").write_text(f"{text}    return {harm} if len(calls) > 9 else 0\n")
    done = iogauge("mine.txt", "--own", "grows.py", "--budget", "2s", "--dir", ".")
    assert done.returncode in (2, 3), done.stderr
    assert f"mine.txt: {says} while f(path) was called, perhaps by it; measure a" in done.stderr


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
def test_a_function_in_node_is_compared_with_others(iogauge, here):
    (here / "read-log.mjs").write_text(code("Node and TypeScript", "js"))
    done = measured(iogauge, "Node and TypeScript")
    for name in (r"readBlocks\(path\)", r"fs.readFileSync"):
        assert re.search(name + TIME, done.stdout), done.stdout
    (here / "some.mjs").write_text(
        "import fs from 'node:fs';\nexport const isError = (line) => line.includes('ERROR');\n"
        "export class Parser {}\n"
        "export function count(logPath) { return fs.readFileSync(logPath).length; }\n"
    )
    done = iogauge("access.log", "--own", "some.mjs", "--budget", "2s", "--dir", ".")
    assert done.returncode == 0 and re.search(r"count\(path\)" + TIME, done.stdout), done.stdout
    assert "isError" not in done.stdout and "Parser" not in done.stdout
    for text, says in {
        "\nexport function f(path) { x = }": "SyntaxError: Unexpected token",
        "console.log('loud')": "it exports no function",
        "export function f(path) { }; f.returns = 'all'": 'f.returns = "all": allowed: bytes, text',
        "export function f() { }": "f() takes nothing; let it take a path",
    }.items():
        (here / "wrong.mjs").write_text(text)
        done = iogauge("access.log", "--own", "wrong.mjs")
        *_, last = done.stderr.splitlines()
        assert done.returncode == 2 and last.startswith(f"iogauge: --own wrong.mjs: {says}"), last


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_function_in_c_is_measured_as_it_stands(iogauge, here):
    (here / "count_lines.c").write_text(code("C and C++", "c"))
    done = measured(iogauge, "C and C++")
    assert re.search(r"count_lines\(path\)" + TIME, done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_function_in_c_is_compared_with_others(iogauge, here):
    (here / "read_log.c").write_text(code("C and C++", "c", 1))
    done = measured(iogauge, "C and C++", 1)
    rows = re.findall(r"^ +(?:c +)?(\S.*?)" + TIME, done.stdout, re.MULTILINE)
    assert "read_blocks()" in rows and len(set(rows)) > 1, done.stdout
    (here / "count_errors.c").write_text(code("C and C++", "c", 2))
    done = measured(iogauge, "C and C++", 2)
    assert re.search(r"count_errors\(\)" + TIME, done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("go"), reason="no Go")
def test_a_function_in_go_is_measured_as_it_stands(iogauge, here):
    (here / "count_errors.go").write_text(code("Go", "go"))
    done = measured(iogauge, "Go")
    assert re.search(r"countErrors\(path\)[^\n]* [\d.]+ [mµn]?s\b", done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("go"), reason="no Go")
def test_a_package_in_go_is_compared_with_others(iogauge, here):
    folder = here / "readlog"
    folder.mkdir(exist_ok=True)
    (folder / "go.mod").write_text(code("Go", "text"))
    (folder / "main.go").write_text(code("Go", "go", 1))
    done = measured(iogauge, "Go", 1)
    assert re.search("readBlocks" + TIME, done.stdout), done.stdout
    assert re.search("os.ReadFile|fs.ReadFile|Mmap", done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("cargo"), reason="no Rust")
def test_a_function_in_rust_is_measured_as_it_stands(iogauge, here):
    (here / "count_errors.rs").write_text(code("Rust", "rust"))
    done = measured(iogauge, "Rust")
    assert re.search(r"count_errors\(path\)" + TIME, done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("cargo"), reason="no Rust")
def test_a_crate_in_rust_is_compared_with_others(iogauge, here):
    source = here / "readlog-crate" / "src" / "main.rs"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(code("Rust", "rust", 1))
    (source.parents[1] / "Cargo.toml").write_text(code("Rust", "toml"))
    *given, folder, budget, seconds, option, place = command("Rust", 1)
    done = iogauge(*given, f"{folder}-crate", budget, seconds, option, place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("read_blocks" + TIME, done.stdout), done.stdout
    assert re.search("fs::read|Mmap", done.stdout), done.stdout
    source.write_text("fn main() { wrong }\n")
    done = iogauge("access.log", "--own", f"{folder}-crate")
    assert done.returncode == 2 and "cannot find value `wrong`" in done.stderr, done.stderr


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not (shutil.which("javac") and shutil.which("mvn")), reason="no JDK and Maven")
@pytest.mark.parametrize(
    ("kind", "number", "name"), [("java", 0, "LogFiles.errors"), ("kotlin", 1, "errors")]
)
def test_a_function_in_source_of_the_jvm_is_measured_as_it_stands(
    iogauge, here, kind, number, name
):
    file = command("Java and Kotlin", number)[2]
    (here / file).write_text(code("Java and Kotlin", kind))
    done = measured(iogauge, "Java and Kotlin", number)
    assert re.search(name + r"\(\w+\)" + TIME, done.stdout), done.stdout


@pytest.mark.long
@pytest.mark.real
@pytest.mark.skipif(not (shutil.which("javac") and shutil.which("mvn")), reason="no JDK and Maven")
def test_a_jar_is_compared_with_others(iogauge, here):
    (here / "ReadLog.java").write_text(code("Java and Kotlin", "java", 1))
    *before, _ = code("Java and Kotlin", "sh", 2).splitlines()
    for each in before:
        subprocess.run(each.split(), check=True)
    done = measured(iogauge, "Java and Kotlin", 2)
    assert re.search("readBlocks" + TIME, done.stdout), done.stdout
    assert re.search("FileChannel.map" + TIME, done.stdout), done.stdout


def _has_perl() -> bool:
    return bool(shutil.which("perl")) and not run_quietly(
        ["perl", "-MJSON::PP", "-MTime::HiRes", "-e", "1"]
    )


@pytest.mark.real
@pytest.mark.skipif(not _has_perl(), reason="no perl with JSON::PP")
@pytest.mark.long
def test_an_executable_that_speaks_the_wire_keeps_the_contract_and_is_measured(iogauge, here):
    program = here / "slurp.pl"
    program.write_text(code("Anything else that runs", "perl"))
    program.chmod(0o755)
    checked = iogauge("check", "slurp.pl")
    assert checked.returncode == 0 and "18 of 18 checks passed" in checked.stdout, checked.stdout
    done = measured(iogauge, "Anything else that runs")
    assert re.search(r"perl\s+sysread" + SPEED, done.stdout), done.stdout
    assert re.search(r"open\(\).read\(\)" + SPEED, done.stdout), done.stdout


@pytest.mark.real
def test_two_versions_are_compared_and_their_paths_are_told_nowhere(iogauge, here):
    (here / "read_log.py").write_text(code("Python", "python"))
    (here / "read_log_2.py").write_text(code("Python", "python").replace("4096", "1048576"))
    done = measured(iogauge, "Two versions against each other")
    assert "Python (old)" in done.stdout and "Python (new)" in done.stdout
    run_file = done.stdout.rpartition("run file: ")[2].strip()
    text = Path(run_file).read_text("utf-8")
    assert "read_log" not in text and str(here) not in text
    builds = re.findall(r'"name":"python-(?:old|new)".*?"build":"(\w+)"', text)
    assert len(set(builds)) == 2 and len({len(each) for each in builds}) == 1


@pytest.mark.real
@pytest.mark.long
def test_a_way_that_reads_less_fails_with_the_reason(iogauge, here):
    text = "def less(path):\n    return open(path, 'rb').read(8)\nless.returns = 'bytes'\n"
    (here / "less.py").write_text(text)
    done = iogauge("access.log", "--own", "less.py", "--budget", "1s", "--dir", ".")
    assert done.returncode == 3
    assert re.search(r"less\(path\) failed: .*\b8\b", done.stdout), done.stdout


@pytest.mark.real
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(:", "line 2: invalid syntax"),
        ("x = 1", "no function of a path in it"),
        (
            "from iogauge_own import way\n@way(returns='dict')\ndef f(path):\n    pass",
            "f(): returns='dict': allowed: bytes, map,",
        ),
        ("def f():\n    return 1", "f() takes nothing; let it take a path"),
        (
            "def f(some): pass\ndef g(other, n): pass",
            ", only f(some), g(other, n): none opens a file",
        ),
        ("import nowhere", "line 2: ModuleNotFoundError: No module named 'nowhere'; a Python"),
        ("import sys\n\nsys.exit(3)", "line 4: SystemExit: 3; put what runs as a script under if"),
        (
            "import sys\nsys.argv[7]",
            "list index out of range; put what runs as a script under if __",
        ),
        ("input()", "line 2: EOFError"),
        (
            "from iogauge_own import way\n@way\ndef f(path, a, b):\n    pass",
            "f() needs a and b besides a file; give them default values",
        ),
    ],
)
def test_what_is_wrong_with_a_module_is_one_line(iogauge, here, text, says):
    (here / "mine.py").write_text(f"print('loud')\n{text}")
    done = iogauge("access.log", "--own", "mine.py")
    *_, last = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout
    assert last.startswith("iogauge: --own mine.py: ") and says in last


def test_what_no_language_takes_is_one_line(iogauge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.txt").write_text("x")
    (tmp_path / "a.py").touch()
    for words, says in {
        ("nowhere.py",): "--own nowhere.py: no such file or folder",
        ("some.txt",): "--own some.txt: no language takes this; allowed: a file that ends in",
        ("",): "--own: it is empty; give a file or folder with your code\n",
        ("a.py:",): "--own a.py:: the name of a function is missing behind the colon\n",
        ("a b=a.py:f",): "--own a b=a.py:f: no such file or folder; if a b is its name, a name is",
        (
            "a.py",
            "--own",
            "a.py",
        ): "--own: two of them are in Python; give each a name: --own old=…",
        ("x=a.py", "--own", "x=a.py"): "--own: two of them have the name x; take another",
    }.items():
        done = iogauge("some.txt", "--own", *words)
        assert done.returncode == 2 and done.stderr.startswith(f"iogauge: {says}"), done.stderr


def test_a_new_study_is_valid_with_the_numbers_of_a_table_too(iogauge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.md").write_text(code("A study of your own", "md"))
    for line in code("A study of your own", "sh").splitlines():
        done = iogauge(*line.split()[1:])
        assert done.returncode == 0, done.stderr
    assert "4 published numbers" in done.stdout
    study = (tmp_path / "theirs.toml").read_text()
    assert "values = [[1048576, 0.3], [16777216, 4.1]]" in study
    assert study.endswith("no strategy is called so: our own library\n")
    assert iogauge("new", "study", "mine").returncode == 0
    assert iogauge("check", "mine.toml").returncode == 0
    (tmp_path / "bare.md").write_text("| way | 1 MiB |\n| os.ReadFile | 3 |\n")
    (tmp_path / "odd.md").write_text("| way [ms] | big |\n| os.ReadFile | 3 |\n")
    (tmp_path / "none.md").write_text("| way [ms] | 1 MiB |\n| ours | 3 |\n")
    (tmp_path / "text.md").write_text("no table\n")
    for words, says in {
        ("mine",): "mine.toml: exists already; take another name",
        ("../x",): "../x: a name is a letter, then letters",
        ("x", "--from", "nowhere.md"): "nowhere.md: No such file or directory",
        ("x", "--from", "bare.md"): "bare.md: no unit in the table's head",
        ("x", "--from", "odd.md"): "odd.md: big: ",
        ("x", "--from", "none.md"): "none.md: no row is named as a strategy is: ours",
        ("x", "--from", "text.md"): "text.md: no table in it",
    }.items():
        done = iogauge("new", "study", *words)
        assert done.returncode == 2 and done.stderr.startswith(f"iogauge: {says}"), done.stderr


@pytest.mark.real
def test_a_new_runner_keeps_the_contract(iogauge, here):
    made = iogauge("new", "runner", "mine")
    assert made.returncode == 0, made.stderr
    checked = iogauge("check", "mine")
    assert checked.returncode == 0 and "18 of 18 checks passed" in checked.stdout, checked.stdout
    for name, says in {
        "mine": "mine/catalogue.json: exists already; take another name",
        "go": "go: there is a runner for that language; take another name",
        "No-1": "No-1: a runner's name is small letters and digits, a letter first",
    }.items():
        done = iogauge("new", "runner", name)
        assert done.returncode == 2 and done.stderr == f"iogauge: {says}\n", done.stderr


@pytest.mark.long
@pytest.mark.real
@pytest.mark.parametrize("language", ["python", "node", "c", "go", "rust"])
def test_new_code_is_measured_as_it_is(iogauge, here, language):
    if not shutil.which({"c": "gcc", "python": "python3", "rust": "cargo"}.get(language, language)):
        pytest.skip(f"no {language}")
    made = iogauge("new", "strategy", f"mine_{language}", "--language", language)
    assert made.returncode == 0, made.stderr
    checked = iogauge("check", made.stdout.split()[0])
    wrong = [each for each in checked.stdout.splitlines() if "own-" in each]
    assert not wrong, checked.stdout
    again = iogauge("new", "strategy", f"mine_{language}", "--language", language)
    assert again.returncode == 2 and "exists already" in again.stderr
