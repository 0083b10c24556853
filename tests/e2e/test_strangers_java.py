"""Code in Java as strangers write it: each file or project of tests/strangers/java gives the numbers,
or the one line, that tests/strangers/expected-java.toml has for it.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from strangers import cases, check, elsewhere, everything, named, put, read_only, said

pytestmark = pytest.mark.skipif(
    not (shutil.which("javac") and shutil.which("mvn")), reason="no JDK and Maven"
)
QUICK = ("static-path",)  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works: the code, and a file of each kind."""
    put(folder, "java")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("name", named("java", QUICK))
def test_java_of_a_stranger(iogauge, here, name):
    check(iogauge, here, "java", name)


def newest() -> Path | None:
    """A JDK that is newer than the Java that is found first."""
    found = [
        each for each in Path("/usr/lib/jvm").glob("*2[1-9]*") if (each / "bin/javac").exists()
    ]
    return max(found, default=None)


@pytest.mark.real
@pytest.mark.long
def test_newer_source_is_measured_by_the_java_that_can_run_it(iogauge, here):
    if newest() is None:
        pytest.skip("no JDK 21 or newer in /usr/lib/jvm")
    chosen = ("--runtime", f"jvm={newest()}/bin/java", "--dir", ".", "--budget", "1s")
    done = iogauge("log", "--own", "Modern.java", *chosen)
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Modern.data(path)"])


@pytest.mark.real
@pytest.mark.long
def test_a_second_run_starts_neither_a_compiler_nor_maven(iogauge, here, monkeypatch):
    """And nothing is written beside the code."""
    before = everything(here / "shop")
    first = iogauge("csv", "--own", "shop", "--dir", ".", "--budget", "1s")
    assert first.returncode == 0 and "preparing" in first.stderr, said(first)
    tools = here / "tools"
    tools.mkdir()
    (tools / "mvn").write_text("#!/bin/sh\nexit 1\n")
    (tools / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    second = iogauge("csv", "--own", "shop", "--dir", ".", "--budget", "1s")
    assert second.returncode == 0 and "preparing" not in second.stderr, said(second)
    assert everything(here / "shop") == before


@pytest.mark.real
@pytest.mark.long
def test_nothing_is_written_beside_java_where_nobody_can(here):
    """A project of several modules, for which Maven is asked."""
    for own in ("shop", "suite/app"):
        done = read_only(here, "csv", "--own", own, "--dir", str(elsewhere(here)), "--budget", "1s")
        assert done.returncode == 0, said(done)


@pytest.mark.real
@pytest.mark.long
def test_two_versions_are_told_apart_and_their_results_compared(iogauge, here):
    for name, more in (("old", ""), ("new", " + 1")):
        (here / name).mkdir()
        text = (here / "Read.java").read_text().replace("all.count()", f"all.count(){more}")
        (here / name / "Read.java").write_text(text)
    versions = ("--own", "old=old/Read.java", "--own", "new=new/Read.java")
    done = iogauge("log", *versions, "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert "Results differ: Read.lines(p) of " in said(done), said(done)


@pytest.mark.real
@pytest.mark.long
def test_lines_that_are_returned_are_checked_and_others_are_a_result(iogauge, here):
    text = """import java.nio.file.*;
import java.util.List;
public class Two {
    public static List<String> all(Path path) throws Exception {
        return Files.readAllLines(path);
    }
    public static List<String> some(Path path) throws Exception {
        return Files.readAllLines(path).subList(0, 10);
    }
}
"""
    (here / "Two.java").write_text(text)
    done = iogauge("log", "--own", "Two.java", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    says = (
        "Two.some(path): it returns 10 lines, the file has 9 000: measured as a result of its own"
    )
    assert says in said(done)
    exported = json.loads(iogauge("show", "--json").stdout)
    found = {case["strategy"] for group in exported["groups"] for case in group["cases"]}
    assert {"java/own-two-all", "java/own-two-some-as-result"} <= found


@pytest.mark.real
@pytest.mark.long
def test_what_was_opened_for_a_function_or_by_it_is_closed(iogauge, here):
    """An object that is made of the file, and what is returned open."""
    text = """import java.io.*;
import java.nio.file.*;
public class Open implements Closeable {
    private final RandomAccessFile file;
    public Open(Path path) throws IOException {
        file = new RandomAccessFile(path.toFile(), "r");
    }
    public int first() throws IOException { few(); return file.read(); }
    public void close() throws IOException { file.close(); }
    public static InputStream opened(Path path) throws IOException {
        few();
        var in = Files.newInputStream(path);
        in.read();
        return in;
    }
    private static void few() {
        if (new File("/proc/self/fd").list().length > 60) throw new IllegalStateException("many");
    }
}
"""
    (here / "Open.java").write_text(text)
    done = iogauge("log", "--own", "Open.java", "--dir", ".", "--budget", "2s")
    assert done.returncode == 0, said(done)
    found = cases(iogauge)
    assert all(found["Open.first()"]) and all(found["Open.opened(path)"]), found


@pytest.mark.real
@pytest.mark.long
def test_of_functions_with_one_name_that_of_the_file_is_called(iogauge, here):
    text = """import java.nio.file.*;
public class Over {
    public static long size(Object path) { throw new IllegalStateException("of anything"); }
    public static long size(Path path) throws Exception { return Files.readAllBytes(path).length; }
    public static <T> long size(Iterable<T> path) { throw new IllegalStateException("of many"); }
}
"""
    (here / "Over.java").write_text(text)
    done = iogauge("log", "--own", "Over.java", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Over.size(path)"])


@pytest.mark.real
@pytest.mark.long
def test_names_of_files_may_have_blanks_and_other_letters(iogauge, here):
    folder = here / "mein Ordner"
    folder.mkdir()
    shutil.copy(here / "Read.java", folder / "Zähler.java")
    text = (folder / "Zähler.java").read_text().replace("class Read", "class Zähler")
    (folder / "Zähler.java").write_text(text)
    done = iogauge("log", "--own", "mein Ordner/Zähler.java", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    (times,) = [each for name, each in cases(iogauge).items() if name.startswith("Zähler.lines(")]
    assert all(times)


@pytest.mark.real
@pytest.mark.long
def test_a_project_that_was_built_is_taken_as_it_is(iogauge, here):
    """Its classes, though their source is not there any more; what was changed since is compiled."""
    built, source = here / "shop/target/classes", here / "shop/src/main/java/org/shop"
    jars = [*Path.home().glob(".m2/repository/commons-io/commons-io/2.20.0/*.jar")]
    if not jars:
        pytest.skip("no commons-io 2.20.0 in ~/.m2: the build of the runner fetches it")
    built.mkdir(parents=True)
    sources = [str(source / "Orders.java"), str(source / "Amounts.java")]
    command = ["javac", "--release", "17", "-cp", str(jars[0]), "-d", str(built), *sources]
    subprocess.run(command, check=True)
    os.utime(source / "Orders.java", (1, 1))
    (source / "Amounts.java").unlink()
    done = iogauge("csv", "--own", "shop", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Orders.total(csv)"])
    changed = source / "Orders.java"
    changed.write_text(changed.read_text().replace("total(", "sum("))
    done = iogauge(
        "csv", "--own", "shop/src/main/java/org/shop/Orders.java", "--budget", "1s", "--dir", "."
    )
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Orders.sum(csv)"])


@pytest.fixture
def gradle(here):
    """A project of Gradle with its wrapper, which prints what Gradle would."""
    shutil.move(here / "shop", here / "store")
    (here / "store/pom.xml").unlink()
    (here / "store/build.gradle").write_text("dependencies { implementation 'commons-io:x:1' }\n")
    (here / "store/settings.gradle").write_text("rootProject.name = 'store'\n")
    jars = [*Path.home().glob(".m2/repository/commons-io/commons-io/2.20.0/*.jar")]
    if not jars:
        pytest.skip("no commons-io 2.20.0 in ~/.m2: the build of the runner fetches it")
    return jars[0]


@pytest.mark.real
@pytest.mark.long
def test_gradle_tells_the_libraries_of_its_project(iogauge, here, gradle):
    wrapper = here / "store/gradlew"
    wrapper.write_text(f"#!/bin/sh\necho iogauge:$PWD/no/such.jar\necho iogauge:{gradle}\n")
    wrapper.chmod(0o755)
    done = iogauge("csv", "--own", "store", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Orders.total(csv)"])


@pytest.mark.real
@pytest.mark.long
def test_what_changes_in_a_module_beside_it_is_built_anew(iogauge, here, gradle):
    """Its classes lie where Gradle made them, and are read there."""
    core = here / "core"
    (core / "src").mkdir(parents=True)

    def build(number):
        (core / "src/Part.java").write_text(
            f"public class Part {{ public static int of() {{ return {number}; }} }}\n"
        )
        into = core / "build/classes/java/main"
        subprocess.run(["javac", "--release", "17", "-d", into, core / "src/Part.java"], check=True)

    build(1)
    source = here / "store/src/main/java/Whole.java"
    source.write_text(
        "import java.nio.file.*;\npublic class Whole {\n  public static long of(Path path)"
        " throws Exception { return Files.size(path) * 0 + Files.readAllBytes(path).length * Part.of(); }\n}\n"
    )
    wrapper = here / "store/gradlew"
    wrapper.write_text(f"#!/bin/sh\necho iogauge:{core}/build/libs/core.jar\n")
    wrapper.chmod(0o755)
    own = ("--own", str(source), "--dir", ".", "--budget", "1s")
    for number, prepares in ((1, True), (1, False), (2, True)):
        build(number)
        done = iogauge("log", *own)
        assert done.returncode == 0 and ("preparing" in done.stderr) is prepares, said(done)


@pytest.mark.real
@pytest.mark.long
def test_without_gradle_the_libraries_are_named(iogauge, here, gradle):
    done = iogauge("csv", "--own", "store", "--dir", ".", "--budget", "1s")
    says = "iogauge: --own store: it has no gradlew, and there is no gradle on the PATH"
    assert done.returncode == 2 and says in said(done), said(done)
    (here / "lib").mkdir()
    shutil.copy(gradle, here / "lib")
    named = ("--own-path", "lib/*")
    done = iogauge("csv", "--own", "store", *named, "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["Orders.total(csv)"])
