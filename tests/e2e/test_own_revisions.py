"""Two states of the user's code from their repository, in each language: what is measured is that
of the commit, nothing is written into the repository, and no run file tells where it lies.
"""

import os
import shutil

import pytest
from strangers import STRANGERS, cases, elsewhere, said

from iogauge.model import folders
from tests.repositories import WHO, commit, everything, write

pytestmark = pytest.mark.real
COUNT = "def count(path):\n    with open(path, 'rb') as file:\n        return len(file.read())\n"
DIFFER = "Results differ"


@pytest.fixture
def here(folder, monkeypatch):
    """The folder of a repository, which is the current one, and beside it a file to read."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    project = folder / "project"
    project.mkdir()
    lines = (f"2026-01-01 {i} a line of some length\n" for i in range(9000))
    (folder / "log").write_text("".join(lines))
    monkeypatch.chdir(project)
    return project


def measured(iogauge, here, path, *more, function="", status=(0,)):
    """The state of the last commit against the working tree, each with a name; nothing is written
    into the repository.
    """
    before = everything(here)
    states = ("--own", f"old=git:HEAD:{path}{function}", "--own", f"new={path}{function}")
    done = iogauge("../log", *states, "--dir", elsewhere(here), "--budget", "1s", *more)
    assert done.returncode in status, said(done)
    assert everything(here) == before
    return done


def test_two_states_of_python_are_told_apart(iogauge, here):
    """A package with relative imports, of which another module has changed."""
    files = {"tool/__init__.py": "", "tool/more.py": "MORE = 0\n"}
    text = COUNT.replace("len(file.read())", "len(file.read()) + MORE")
    commit(here, {**files, "tool/read.py": f"from .more import MORE\n\n\n{text}"}, "the message")
    write(here, {"tool/more.py": "MORE = 1\n"})
    done = measured(iogauge, here, "tool/read.py")
    assert DIFFER in said(done), said(done)
    assert all(cases(iogauge)["count(path)"]) and "Python" in done.stdout
    text = folders.newest_run().read_text("utf-8")
    assert "python-old" in text and "python-new" in text
    told = (str(here), str(folders.cache()), WHO["GIT_AUTHOR_EMAIL"], "the message", "read.py")
    assert not [each for each in told if each in text]


@pytest.mark.long
def test_the_same_state_is_the_same_code(iogauge, here):
    """Also where a module tells its own place, or the lines of a stack."""
    text = COUNT.replace("len(file.read())", "len(file.read()) + len(__file__) + len(stack())")
    stack = "import traceback\n\n\ndef stack():\n    return repr(traceback.extract_stack())\n\n\n"
    commit(here, {"read.py": stack + text})
    done = measured(iogauge, here, "read.py", function=":count")
    assert DIFFER not in said(done) and "preparing" in done.stderr, said(done)
    again = measured(iogauge, here, "read.py", function=":count")
    assert "preparing" not in again.stderr, said(again)


@pytest.mark.long
def test_where_code_is_named_elsewhere(iogauge, here):
    commit(here, {"read.py": COUNT})
    write(here, {"read.py": "broken("})
    done = iogauge("check", "git:HEAD:read.py")
    assert done.returncode == 0 and "checks passed" in done.stdout, said(done)
    data = ("--dir", elsewhere(here), "--budget", "1s")
    assert iogauge("../log", "--own", "git:HEAD:read.py", *data).returncode == 0
    done = iogauge("explain", "--trace", "--file", "../log", "--own", "git:HEAD:read.py")
    assert "count(path)" in done.stdout or "strace" in said(done), said(done)
    done = iogauge("../log", "--own", "old=git:HEAD:read.py", "--own", "new=read.py", *data)
    assert done.returncode == 2 and "--own new=read.py: " in done.stderr, said(done)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
def test_two_states_of_node(iogauge, here):
    """A module of a workspace: a package that was installed, and one beside it."""
    text = """const fs = require('node:fs');
const { sep } = require('lines');
const { more } = require('@ws/b');
exports.count = (path) => fs.readFileSync(path).filter((each) => each === sep).length + more;
"""
    files = {"package.json": '{"workspaces": ["packages/*"]}', ".gitignore": "node_modules\n"}
    files |= {"packages/a/package.json": '{"name": "a"}', "packages/a/read.js": text}
    files |= {"packages/b/package.json": '{"name": "@ws/b", "main": "i.js"}'}
    commit(here, {**files, "packages/b/i.js": "exports.more = 0;", "package-lock.json": "{}"})
    package = '{"name": "lines", "main": "i.js"}'
    write(
        here, {"node_modules/lines/package.json": package, "packages/b/i.js": "exports.more = 1;"}
    )
    write(here, {"node_modules/lines/i.js": "exports.sep = 10;", "node_modules/@ws/x": ""})
    (here / "node_modules/@ws/b").symlink_to("../../packages/b")
    done = measured(iogauge, here, "packages/a/read.js")
    assert DIFFER in said(done), said(done)
    write(here, {"package-lock.json": '{"changed": true}'})
    done = measured(iogauge, here, "packages/a/read.js", status=(2,))
    assert "--own old=git:HEAD:packages/a/read.js: it has another package-lock.json" in said(done)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("go"), reason="no Go")
@pytest.mark.parametrize("vendored", [True, False])
def test_two_states_of_go(iogauge, here, vendored):
    """A module with another package of its own, and perhaps with one in `vendor`, untracked."""
    text = """package mine

import (
	"os"

	"example.com/mine/inner"
	DEPENDENCY
)

func Count(path string) (int, error) {
	data, err := os.ReadFile(path)
	return len(data) + inner.More USED, err
}
"""
    text = text.replace("DEPENDENCY", '"example.com/dep"' if vendored else "")
    text = text.replace("USED", "+ dep.More" if vendored else "")
    needs = "\nrequire example.com/dep v1.0.0\n" if vendored else ""
    files = {"go.mod": f"module example.com/mine\n\ngo 1.21\n{needs}", ".gitignore": "vendor\n"}
    commit(here, {**files, "read.go": text, "inner/i.go": "package inner\n\nconst More = 0\n"})
    write(here, {"inner/i.go": "package inner\n\nconst More = 1\n"})
    if vendored:
        told = "# example.com/dep v1.0.0\n## explicit\nexample.com/dep\n"
        code = "package dep\n\nconst More = 0\n"
        write(here, {"vendor/modules.txt": told, "vendor/example.com/dep/d.go": code})
    done = measured(iogauge, here, "." if vendored else "read.go")
    assert DIFFER in said(done), said(done)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("cargo"), reason="no Rust")
def test_two_states_of_rust(iogauge, here):
    """A crate whose lock git ignores, beside a build of the working tree."""
    manifest = '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n'
    text = """pub mod more;
pub fn count(path: &std::path::Path) -> std::io::Result<usize> {
    Ok(std::fs::read(path)?.len() + more::MORE + file!().len())
}
"""
    lock = (
        '# This file is @generated.\nversion = 3\n\n[[package]]\nname = "mine"\nversion = "0.1.0"\n'
    )
    files = {"Cargo.toml": manifest, "src/lib.rs": text, ".gitignore": "target\nCargo.lock\n"}
    commit(here, {**files, "src/more.rs": "pub const MORE: usize = 0;\n"})
    write(here, {"Cargo.lock": lock, "target/release/libmine.rlib": "x"})
    done = measured(iogauge, here, ".")
    assert DIFFER not in said(done), said(done)
    write(here, {"src/more.rs": "pub const MORE: usize = 1;\n"})
    done = measured(iogauge, here, "src/lib.rs")
    assert DIFFER in said(done), said(done)


@pytest.mark.long
@pytest.mark.skipif(not (shutil.which("javac") and shutil.which("mvn")), reason="no JDK and Maven")
@pytest.mark.parametrize(
    ("family", "project", "path", "old", "new"),
    [
        ("java", "shop", "src/main/java/org/shop/Amounts.java", "return ", "return 1 + "),
        ("kotlin", "mvn", "src/main/kotlin", "return ", "return 1 + "),
    ],
)
def test_two_states_of_a_project_of_maven(iogauge, here, family, project, path, old, new):
    """Classes that were built in the working tree are not taken for either state."""
    shutil.copytree(STRANGERS / family / project, here, dirs_exist_ok=True)
    commit(here, {".gitignore": "target\n"})
    file = here / path if path.endswith(".java") else next((here / path).rglob("*.kt"))
    rows = "".join(f"{i % 90},{i / 8}\n" for i in range(9000))
    (here.parent / "log").write_text(f"id,amount\n{rows}")
    write(here, {"target/classes/Wrong.class": "no class"})
    text = file.read_text()
    changed = text.replace(old, new) if family == "java" else text + "\nval unused = 1\n"
    assert changed != text
    file.write_text(changed)
    done = measured(iogauge, here, ".")
    assert (DIFFER in said(done)) == (family == "java"), said(done)
    assert all(each and all(each) for each in cases(iogauge).values())


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("gcc"), reason="no C compiler")
def test_two_states_of_c(iogauge, here):
    """A project of CMake, whose flags only its build folder tells; and a lone file."""
    text = """#include <stdio.h>
#include <string.h>
#include "more.h"
long count(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    long found = more() + strlen(__FILE__) * 1000000;
    for (int c; (c = getc(file)) != EOF;) found += c == SEP;
    fclose(file);
    return found;
}
"""
    files = {"CMakeLists.txt": "project(x C)\n", "src/count.c": text, ".gitignore": "build\n"}
    files |= {"src/more.h": "long more(void);\n"}
    more = '#include "more.h"\nlong more(void) { return 0; }\n'
    lone = "long lone(const char *path) { return __builtin_strlen(path) * 0; }\n"
    commit(here, {**files, "src/more.c": more, "alone/lone.c": lone})
    entry = '{{"directory": "{0}/build", "file": "{0}/src/{1}", "command": "cc -DSEP=10 -c {1}"}}'
    both = ",".join(entry.format(here, each) for each in ("count.c", "more.c"))
    write(here, {"build/compile_commands.json": f"[{both}]"})
    done = measured(iogauge, here, "src/count.c")
    assert DIFFER not in said(done), said(done)
    write(here, {"src/more.c": more.replace("return 0", "return 1")})
    done = measured(iogauge, here, ".", function=":count")
    assert DIFFER in said(done), said(done)
    write(here, {"CMakeLists.txt": "project(y C)\n"})
    done = measured(iogauge, here, "src/count.c", status=(2,))
    assert "it has another CMakeLists.txt" in said(done), said(done)
