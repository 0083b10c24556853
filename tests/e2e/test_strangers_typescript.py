"""Projects of TypeScript and Node as strangers write them: a number, or one line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iogauge.runners import building, own, preparing
from tests.e2e import strangers

FAMILY, QUICK = "typescript", ("project",)
NEEDS = "TypeScript needs Node 22.18 or newer, or esbuild or typescript in the project"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("node"), reason="no Node"),
]


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder in which npm installs packages once; from its cache, if it has them."""
    made = {}

    def install(*packages: str):
        if packages not in made:
            if not shutil.which("npm"):
                pytest.skip("no npm")
            folder = tmp_path_factory.mktemp("installed")
            (folder / "package.json").write_text('{ "private": true }')
            words = ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", *packages]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            made[packages] = None if done.returncode else folder / "node_modules"
        if made[packages] is None:
            pytest.skip(f"npm cannot install {' and '.join(packages)} here, as without a network")
        return made[packages]

    return install


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, FAMILY)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def given(here, installed):
    """Gives that folder these packages besides those of tests/strangers."""

    def give(*packages: str):
        modules = here / "node_modules"
        shutil.copytree(here / "packages", modules)
        (modules / "@mono").mkdir()
        (modules / "@mono" / "text").symlink_to(here / "monorepo" / "packages" / "text")
        for each in installed(*packages).iterdir():
            (modules / each.name).symlink_to(each)
        return here

    return give


@pytest.mark.parametrize("name", strangers.named(FAMILY, QUICK))
def test_what_a_stranger_wrote_is_measured_or_told_in_a_line(iogauge, given, name):
    strangers.check(iogauge, given("esbuild"), FAMILY, name)


def measured(iogauge, *own: str):
    words = [word for each in own for word in ("--own", each)]
    return iogauge("log", *words, "--dir", ".", "--budget", "1s")


def last_line(done) -> str:
    *_, last = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout, done.stdout + done.stderr
    return last


def takes_types() -> bool:
    words = ["node", "-p", "!!process.features.typescript"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout == "true\n"


def test_typescript_alone_is_measured_by_a_node_that_takes_it_or_told_in_a_line(iogauge, here):
    done = measured(iogauge, "read.ts")
    if takes_types():
        assert done.returncode == 0 and all(strangers.cases(iogauge)["load(path)"])
    else:
        line = f"iogauge: --own read.ts: {NEEDS} (npm install --save-dev esbuild)"
        assert last_line(done) == line


@pytest.mark.long
def test_a_newer_node_takes_it_without_a_compiler_and_says_what_needs_one(iogauge, here, installed):
    node = installed("node@22") / "node" / "bin" / "node"
    if not node.exists():
        pytest.skip("npm did not install a node for this machine")

    def run(own: str):
        return iogauge(
            "log", "--own", own, "--dir", ".", "--budget", "1s", "--runtime", f"node={node}"
        )

    for own_code in ("read.ts", "streams.ts", "module.mts", "script.ts", "default-export.ts"):
        done = run(own_code)
        assert done.returncode == 0, strangers.said(done)
    needs = "it may need esbuild or typescript in the project (npm install --save-dev esbuild)"
    says = (
        "--own enums.ts: line 3: SyntaxError: TypeScript enum is not supported in strip-only mode"
    )
    assert last_line(run("enums.ts")) == f"iogauge: {says}; {needs}"
    assert "JSX needs esbuild or typescript" in last_line(run("view.tsx"))
    assert last_line(run("using.ts")).endswith(needs)
    assert "line 4: SyntaxError: " in last_line(run("mistake.ts"))
    assert "total(path): line 12: TypeError: " in last_line(run("throws.ts"))


@pytest.mark.long
@pytest.mark.parametrize("version", ["5", "latest"])
def test_where_there_is_no_esbuild_tsc_compiles(iogauge, given, version):
    given(f"typescript@{version}")
    for name, functions in {
        "project": {"countInfo(path)", "countErrors(path)"},
        "project/src/readers/errors.ts": {"countErrors(path)"},
        "enums.ts": {"byLevel(path)"},
        "commonjs.cts": {"lineLengths(path)"},
        "module.mts": {"words(path)"},
        "view.tsx": {"asList(path)"},
    }.items():
        done = measured(iogauge, name)
        assert done.returncode == 0, strangers.said(done)
        assert {*strangers.cases(iogauge)} >= functions
    assert last_line(measured(iogauge, "mistake.ts")).startswith(
        "iogauge: --own mistake.ts: mistake.ts:4: "
    )
    assert "total(path): line 12: TypeError: " in last_line(measured(iogauge, "throws.ts"))


@pytest.mark.long
def test_a_second_run_compiles_nothing_until_the_code_changes(iogauge, given):
    here = given("esbuild")
    (here / "enums.ts").write_text(f"{(here / 'enums.ts').read_text()}// {here}\n")
    text = "preparing --own enums.ts"
    assert text in measured(iogauge, "enums.ts").stderr
    assert text not in measured(iogauge, "enums.ts").stderr
    (here / "enums.ts").write_text((here / "enums.ts").read_text().replace("Info", "Information"))
    assert text in measured(iogauge, "enums.ts").stderr


@pytest.mark.long
def test_the_example_of_the_page_is_measured(iogauge, given):
    page = (Path(__file__).parents[2] / "docs" / "your-code.md").read_text("utf-8")
    text = page.partition("`count-errors.ts`:\n\n```ts\n")[2].partition("```")[0]
    (given("esbuild") / "count-errors.ts").write_text(text)
    assert measured(iogauge, "count-errors.ts").returncode == 0
    assert all(strangers.cases(iogauge)["countErrors(path)"])


@pytest.mark.long
def test_two_versions_are_compared(iogauge, given):
    here = given("esbuild")
    text = (here / "script.ts").read_text()
    (here / "more").mkdir()
    (here / "more" / "other.ts").write_text(text.replace("'utf8'", "'latin1'"))
    done = measured(iogauge, "old=script.ts", "new=more/other.ts")
    assert done.returncode in (0, 4), strangers.said(done)
    assert "Node (old)" in done.stdout and "Node (new)" in done.stdout
    assert "Results differ" not in strangers.said(done)
    (here / "more" / "other.ts").write_text(text.replace(" ERROR ", " INFO "))
    done = measured(iogauge, "old=script.ts", "new=more/other.ts")
    assert "Results differ: " in strangers.said(done), strangers.said(done)


@pytest.mark.long
def test_builds_are_removed_and_what_they_lead_to_stays(iogauge, given, monkeypatch):
    here = given("esbuild")
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "iogauge-cache"))
    assert measured(iogauge, "with-package/read.mjs").returncode == 0
    (build,) = (here / "iogauge-cache" / "iogauge" / "runners").glob("node-*/own/node_modules")
    assert build.is_symlink()
    building.remove_builds()
    assert not build.exists() and (here / "node_modules" / "line-tools" / "index.js").exists()


@pytest.mark.long
def test_a_file_that_may_not_be_written_is_measured(iogauge, given):
    """A copy of it is changed, to call a function that it keeps to itself."""
    here = given("esbuild")
    (here / "script.ts").chmod(0o444)
    done = measured(iogauge, "script.ts")
    assert done.returncode == 0, strangers.said(done)


@pytest.mark.long
@pytest.mark.parametrize("own", ["project", "with-package/read.mjs"])
def test_nothing_is_written_beside_typescript_where_nobody_can(given, own):
    here = given("esbuild")
    data = str(strangers.elsewhere(here))
    done = strangers.read_only(here, "log", "--own", own, "--dir", data, "--budget", "1s")
    assert done.returncode == 0, strangers.said(done)


@pytest.mark.long
def test_what_a_function_is_given_is_closed(iogauge, given):
    """An open file, where its function throws, returns a part, or reads only a part."""
    here = given("esbuild")
    (here / "open.ts").write_text(
        "import { readdirSync, readSync } from 'node:fs';\n"
        "import type { Readable } from 'node:stream';\n"
        "const few = () => { if (readdirSync('/proc/self/fd').length > 60) throw new Error('many'); };\n"
        "export function some(fd: number) { few(); return readSync(fd, new Uint8Array(4096)); }\n"
        "export function* each(fd: number) {\n"
        "  few(); const part = new Uint8Array(65536);\n"
        "  while (readSync(fd, part) > 0) yield part;\n}\n"
        "export async function head(source: Readable) {\n"
        "  few(); for await (const each of source) return (each as Buffer).length;\n}\n"
        "export async function first(source: AsyncIterable<string>) {\n"
        "  few(); for await (const line of source) return line;\n}\n"
    )
    done = iogauge("log", "--own", "open.ts", "--dir", ".", "--budget", "4s")
    assert done.returncode == 0, strangers.said(done)
    found = strangers.cases(iogauge)
    assert {name for name, times in found.items() if all(times)} >= {
        "some(path)",
        "each(path)",
        "head(path)",
        "first(path)",
    }, found


def listed(path: str):
    """The strategies of the code at a path, as its runner lists them."""
    ready, missing = preparing.prepare({}, print, own.runners([path]))
    assert not missing, missing
    return {each.name for each in ready[0].runtime.strategies.values() if each.is_own}


@pytest.mark.long
def test_private_functions_are_called_only_if_they_are_asked_for(given):
    given("esbuild")
    assert listed("overloads.ts") == {"node/own-slurp", "node/own-slurp-as-result"}
    assert listed("script.ts") == {"node/own-count-errors"}
    assert listed("script.ts:countErrors") == {"node/own-count-errors"}
    assert listed("log-file.ts") == {
        f"node/own-log-file-{each}" for each in ("lines", "lines-as-result", "entries")
    }


@pytest.mark.long
def test_a_name_that_is_not_there_is_told_with_those_that_are(iogauge, given):
    given("esbuild")
    done = last_line(measured(iogauge, "options.ts:readTsv"))
    assert done.endswith("no function readTsv in it; there are: readCsv, sumColumn"), done
