"""Code in Node as strangers write it, and what a jar of theirs may do: a number, or one line."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from iogauge.runners import own, preparing

STRANGERS = Path(__file__).parents[1] / "strangers"
EXPECTED = tomllib.loads((STRANGERS / "expected.toml").read_text("utf-8"))["node"]
TIME = r"\(path(, n)?\)(, simplest)?\s+[\d.]+ [mµn]?s\b"  # behind a name

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("node"), reason="no Node"),
]


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    words = ["INFO", "ERROR", "WARN"]
    lines = (f"2026-01-01 {words[i % 3]} {i} a line of some length \n" for i in range(6000))
    (folder / "access.log").write_text("".join(lines))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def answered(iogauge, here):
    """What iogauge says of this code."""

    def run(name: str, *more: str):
        return iogauge("access.log", "--own", name, "--budget", "1s", "--dir", ".", *more)

    return run


def last_line(done) -> str:
    """Of what went wrong; that it is one line, and no number, is examined."""
    *_, last = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout, done.stdout + done.stderr
    assert not re.search(r"^ +at |Traceback", done.stderr, re.MULTILINE), done.stderr
    return last


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[] if each in ("arrow", "stream-at-once") else pytest.mark.long)
        for each in EXPECTED
    ],
)
def test_what_a_stranger_wrote_is_measured_or_told_in_a_line(name, answered, here):
    expected = EXPECTED[name]
    (path,) = (STRANGERS / "node").glob(f"{name}.*js")
    shutil.copy(path, here)
    done = answered(path.name)
    if "says" in expected:
        assert expected["says"] in last_line(done)
        return
    assert done.returncode == 0, done.stdout + done.stderr
    for function in expected["numbers"]:
        assert re.search(re.escape(function) + TIME, done.stdout), done.stdout
    shown = set(re.findall(r"(\S+)" + TIME, done.stdout))
    assert "isBlank" not in str(shown), done.stdout


SHAPES = {
    "LogReader.countErrors": (
        "function LogReader(path) { this.path = path; }\n"
        "LogReader.prototype.close = function () {};\n"
        "LogReader.prototype.countErrors = function () {\n"
        "  return require('fs').readFileSync(this.path, 'utf8').split('ERROR').length; };\n"
        "module.exports = LogReader;"
    ),
    "countLines": (
        "Object.defineProperty(exports, '__esModule', { value: true });\n"
        "exports.countLines = countLines; const fs_1 = require('fs');\n"
        "function countLines(filePath) { return fs_1.readFileSync(filePath).length; }\n"
        "exports.default = countLines;"
    ),
    "load": (
        "module.exports = { encoding: 'utf8', async load(fileName) {\n"
        "  return (await require('fs/promises').readFile(fileName, this.encoding)).length; } };"
    ),
    "read": "exports.read = require('util').promisify(require('fs').readFile);",
    "size": (
        "require('http').createServer(() => {}).listen(0); setInterval(() => {}, 100);\n"
        "exports.size = (path) => require('fs').readFileSync(path).length;"
    ),
    "wc": (
        "exports.wc = (path) => {\n"
        "  require('child_process').execFileSync('wc', ['-l', path], { stdio: 'inherit' }); };"
    ),
    "both": (
        "const fs = require('fs'); exports.both = (path) => { fs.writeSync(1, 'loud');\n"
        "  return fs.readFileSync(0).length + fs.readFileSync(path).length; };"
    ),
    "digest": (
        "const fs = require('fs'), hash = require('crypto').createHash('sha1');\n"
        "exports.digest = async function (inputPath) {\n"
        "  const sum = hash.copy(); await require('stream/promises').pipeline(\n"
        "    fs.createReadStream(inputPath), sum); return sum.digest('hex'); };"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SHAPES)
def test_other_shapes_of_code_are_measured(name, answered, here):
    (here / "mine.js").write_text(SHAPES[name])
    done = answered("mine.js")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(re.escape(name) + TIME, done.stdout), done.stdout
    assert "loud" not in done.stdout + done.stderr


TOLD = {
    "export function f(path) { return new Promise(() => {}) }": "a promise that is never settled",
    "export function f(path, callback) { }": "f() never calls back",
    "import fs from 'fs'; export const f = (path, word) => fs.readFileSync(path).indexOf(word)": (
        "f() needs word besides a file; give word a default value"
    ),
    "import { exit } from 'node:process'; export function f(path) { setTimeout(exit, 1) }": (
        "f() ends the program"
    ),
    "process.exit(1); export function f(path) { }": "ends the program",
    "import fs from 'fs'; export const f = (path) => fs.appendFileSync(path, 'x')": (
        "f() changes the file that it is given; iogauge measures only what reads"
    ),
    "export const isBlank = (line) => line.trim() === ''; export const n = (count) => count + 1": (
        "no function of a path in it, only isBlank(line), n(count)"
    ),
    "import './missing.mjs'; export function f(path) { }": "Cannot find module",
    "await new Promise(() => {}); export function f(path) { }": "it waits for what never comes",
    "export class Reader { constructor(a, b) { this.c = [a, b] } read() { } }": "Reader is a class",
}


@pytest.mark.long
@pytest.mark.parametrize("text", TOLD)
def test_what_is_wrong_with_a_module_is_one_line(text, answered, here):
    (here / "mine.mjs").write_text(text)
    last = last_line(answered("mine.mjs"))
    assert last.startswith("iogauge: --own mine.mjs: ") and TOLD[text] in last, last


FAILS = {
    "it throws in a callback": (
        "export function f(path) { return new Promise((resolve) => {\n"
        "  fs.readFile(path, (e, data) => { if (data.length > 999) null.x; resolve(1); }); }) }",
        "line 3: TypeError: Cannot read properties of null",
    ),
    "it keeps the result": (
        "let kept; export function f(path) { return kept ??= fs.readFileSync(path).length }",
        "f() reads nothing of the file; it may keep the result of an earlier call",
    ),
    "it goes on, with large files": (
        "export function f(path) { const all = fs.readFileSync(path); if (all.length > 999)\n"
        "  for (let i = 0; i < 3; i++) fs.readFile(path, () => {}); }",
        "f() returns before it has read: return a promise",
    ),
    "it ends the program, with large files": (
        "export function f(path) { if (fs.readFileSync(path).length > 999) process.exit(1) }",
        "f() ends the program",
    ),
    "its promise is never settled, with large files": (
        "export async function f(path) { const all = await fs.promises.readFile(path);\n"
        "  if (all.length > 999) await new Promise(() => {}); }",
        "f() returns a promise that is never settled",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("what", FAILS)
def test_what_only_the_file_brings_about_is_told_with_no_number(what, answered, here):
    text, says = FAILS[what]
    (here / "mine.mjs").write_text(f"import fs from 'node:fs';\n{text}")
    done = answered("mine.mjs")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode in (2, 3) and says in said, said
    assert not re.search(r"f" + TIME, done.stdout), done.stdout


def listed(path: str):
    """The strategies of the code at a path, as its runner lists them."""
    ready, missing = preparing.prepare({}, print, own.runners([path]))
    assert not missing, missing
    found = {}
    for each in ready[0].runtime.strategies.values():
        if each.is_own:
            found[each.name.partition("/own-")[2]] = each
    return found, ready[0].launch.command


@pytest.mark.long
def test_what_is_returned_may_be_a_result_of_its_own(here):
    shutil.copy(STRANGERS / "node" / "stringly.js", here)
    found, command = listed("stringly.js")
    assert {*found} == {
        "upper",
        "upper-as-result",
        "first-column",
        "first-column-as-result",
        "unique",
    }
    for name in ("upper", "first-column"):
        one, other = found[name], found[f"{name}-as-result"]
        assert other.instead_of == one.name and other.sums == "nothing" != one.sums
        assert (other.title, other.call) == (one.title, one.call)
    assert found["unique"].sums == "nothing"
    # What was found out is kept, and nothing of the trial is left.
    (folder,) = {Path(word).parent for word in command if word.endswith("main.mjs")}
    kept = [each.name for each in (folder / "own").iterdir()]
    assert len(kept) == 3 and any(each.startswith("tried-v") for each in kept), kept
    (here / "declared.mjs").write_text(
        "import fs from 'node:fs';\nexport const f = (path) => fs.readFileSync(path, 'utf8');\n"
        "f.returns = 'text';\n"
    )
    assert {*listed("declared.mjs")[0]} == {"f"}


@pytest.mark.long
def test_functions_whose_names_are_alike_get_a_number(here):
    (here / "alike.mjs").write_text(
        "import fs from 'node:fs';\nexport const logSize = (path) => fs.readFileSync(path).length;\n"
        "export const log_size = (path) => fs.readFileSync(path, 'utf8');\n"
    )
    assert {*listed("alike.mjs")[0]} == {"log-size", "log-size-2", "log-size-2-as-result"}


@pytest.mark.long
def test_what_failed_as_it_was_tried_is_tried_again_the_next_time(here):
    network = here / "network"
    (here / "needs.mjs").write_text(
        f"import fs from 'node:fs';\nexport const f = (path) => {{ fs.statSync('{network}');\n"
        "  return fs.readFileSync(path, 'utf8'); };\n"
    )
    assert {*listed("needs.mjs")[0]} == {"f"}
    network.touch()
    assert {*listed("needs.mjs")[0]} == {"f", "f-as-result"}


@pytest.mark.long
def test_of_two_functions_the_one_that_can_be_measured_is_and_the_other_is_told(answered, here):
    (here / "two.mjs").write_text(
        "import fs from 'node:fs';\nexport const size = (path) => fs.readFileSync(path).length;\n"
        "export function atOnce(path) { fs.createReadStream(path).on('data', () => {}); }\n"
    )
    done = answered("two.mjs")
    assert done.returncode == 0 and re.search("size" + TIME, done.stdout), done.stdout
    assert not re.search("atOnce" + TIME, done.stdout), done.stdout
    assert "not measured: atOnce() returns before it has read" in done.stdout + done.stderr


@pytest.mark.long
def test_names_of_modules_may_have_blanks_and_other_letters(answered, here):
    (here / "mein Ordner").mkdir()
    text = (
        "import fs from 'node:fs';\nexport const zählen = (path) => fs.readFileSync(path).length;\n"
    )
    (here / "mein Ordner" / "zähler.mjs").write_text(text)
    done = answered("mein Ordner/zähler.mjs")
    assert done.returncode == 0 and "zählen(path)" in done.stdout, done.stdout + done.stderr


@pytest.mark.long
def test_one_function_is_chosen_by_its_name(answered, here):
    shutil.copy(STRANGERS / "node" / "stringly.js", here)
    done = answered("stringly.js:unique")
    assert done.returncode == 0 and re.search("unique" + TIME, done.stdout), done.stdout
    assert "upper(" not in done.stdout
    last = last_line(answered("stringly.js:uniq"))
    assert last.endswith("no function uniq in it; there are: firstColumn, isBlank, unique, upper")


@pytest.mark.long
def test_other_lines_than_those_of_the_file_are_a_result_of_its_own(answered, here):
    shutil.copy(STRANGERS / "node" / "stringly.js", here)
    done = answered("stringly.js:firstColumn")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0 and "measured as a result of its own" in said, said


@pytest.mark.long
def test_two_versions_of_a_function_without_a_name_are_compared(iogauge, here):
    (here / "a.js").write_text("module.exports = (p) => require('fs').readFileSync(p).length;\n")
    (here / "b.js").write_text(
        "module.exports = (p) => require('fs').readFileSync(p, 'latin1').length;\n"
    )
    given = ("--own", "old=a.js", "--own", "new=b.js")
    done = iogauge("access.log", *given, "--budget", "2s", "--dir", ".")
    assert done.returncode in (0, 4), done.stdout + done.stderr
    assert "Node (old)" in done.stdout and "Node (new)" in done.stdout, done.stdout


JAR = """import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

public class Main {
    public static List<String> firstWords(Path path) throws Exception {
        try (Stream<String> lines = Files.lines(path)) {
            return lines.map(line -> line.split(" ")[0]).toList();
        }
    }
    public static long size(String path) throws Exception {
        return Files.readAllBytes(Path.of(path)).length;
    }
    public static void ends(Path path) throws Exception {
        if (Files.readAllBytes(path).length > 0) System.exit(7);
    }
    public static int parsed(Path path) throws Exception {
        return Integer.parseInt(Files.readString(path));
    }
    public static java.util.concurrent.Future<Integer> later(Path path) {
        return java.util.concurrent.CompletableFuture.supplyAsync(() -> {
            try {
                Thread.sleep(20);
                return Files.readAllBytes(path).length;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
    public static void main(String[] arguments) { }
}
"""


CHANGING = """import java.nio.file.*;

public class Main {
    public static long readLog(Path path) throws Exception {
        return Files.readAllBytes(path).length;
    }
    public static long read_log(Path path) throws Exception {
        return Files.readString(path).length();
    }
    public static void grows(Path path) throws Exception {
        Files.writeString(path, "x", StandardOpenOption.APPEND);
    }
    public static void main(String[] arguments) { }
}
"""


def packed(here: Path, text: str) -> Path:
    """A jar of this class."""
    if not (shutil.which("javac") and shutil.which("mvn")):
        pytest.skip("no JDK and Maven")
    (here / "Main.java").write_text(text)
    for each in (
        "javac --release 17 Main.java",
        "jar --create --file mine.jar --main-class Main Main.class",
    ):
        subprocess.run(each.split(), check=True)
    return here / "mine.jar"


@pytest.fixture
def jar(here):
    return packed(here, JAR)


@pytest.mark.long
def test_a_method_of_a_jar_that_changes_its_file_is_never_called_with_the_users(here, answered):
    file = here / "access.log"
    before, jar = file.read_bytes(), packed(here, CHANGING)
    assert {*listed(jar.name)[0]} == {"read-log", "read-log-2", "grows"}
    done = answered(jar.name)
    said = " ".join((done.stdout + done.stderr).split())
    assert "not measured: grows() changes the file that it is given" in said, said
    assert done.returncode == 0 and file.read_bytes() == before, said
    for name in ("readLog", "read_log"):
        assert re.search(rf"\b{name}(, simplest)?\s+[\d.]+ [mµn]?s\b", done.stdout), done.stdout


@pytest.mark.long
def test_a_method_of_a_jar_is_chosen_by_its_name(jar, answered):
    done = answered(f"{jar.name}:size")
    assert done.returncode == 0 and "firstWords" not in done.stdout, done.stdout + done.stderr
    last = last_line(answered(f"{jar.name}:sice"))
    assert (
        "no public static method sice() of a Path; there are: ends, firstWords, later, parsed, size"
        in last
    )


@pytest.mark.long
def test_a_method_of_a_jar_may_return_a_result_of_its_own_or_end_the_program(jar, answered):
    found, _ = listed(jar.name)
    methods = {"first-words", "first-words-as-result", "size", "ends", "parsed", "later"}
    assert {*found} == methods
    assert found["first-words-as-result"].instead_of == found["first-words"].name
    assert found["first-words"].sums == "line-utf16"
    assert found["first-words-as-result"].sums == "nothing" == found["size"].sums
    done = answered(jar.name)
    said = " ".join((done.stdout + done.stderr).split())
    assert "not measured: ends() ends the program" in said and done.returncode == 3, said
    assert re.search(r"not measured: parsed: line 18: NumberFormatException: .{9,300}", said), said
    assert "firstWords: it returns other lines than the file's: measured as a result" in said, said
    assert re.search(r"\bsize(, simplest)?\s+[\d.]+ [mµn]?s\b", done.stdout), done.stdout
    assert re.search(r"\blater(, simplest)?\s+[\d.]+ ms\b", done.stdout), "it was waited for"
