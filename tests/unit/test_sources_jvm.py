"""Functions of Java and Kotlin: which are found in a source file, what their parameters are given, and
what is compiled with them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from iogauge.sources.functions import choose
from iogauge.sources.language import Given, Wrong, glue
from iogauge.sources.languages.jvm import gradle, java, kotlin, maven, near
from iogauge.sources.languages.jvm.types import taking

RUNNER = Path(__file__).parents[2] / "runners" / "jvm"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def put(folder: Path, **files: str) -> Path:
    """Files with these texts; `a__b_java` is `a/b.java`. Gives the first one."""
    made = []
    for name, text in files.items():
        before, _, ending = name.rpartition("_")
        made.append(folder / f"{before.replace('__', '/')}.{ending}")
        made[-1].parent.mkdir(parents=True, exist_ok=True)
        made[-1].write_text(text)
    return made[0]


def fits(file: Path) -> dict[str, list[str]]:
    """By the names of functions what they and their constructors take."""
    declared = (java if file.suffix == ".java" else kotlin).declared(file)
    found = choose(declared.functions, taking).fits
    return {
        each.function.name: [take.form or take.what for take in (*each.made_of, *each.takes)]
        for each in found
    }


def told(given: Path, function: str = "") -> list[dict]:
    """What the runner is told of functions."""
    texts = glue("jvm", Given(given, RUNNER, function)).texts
    return json.loads(texts["own/functions.json"])["functions"]


@pytest.mark.parametrize(
    ("declared", "forms"),
    [
        ("String path", ["String"]),
        ("final java.io.File f", ["File"]),
        ("@Nullable Path x, OpenOption... options", ["Path", "empty"]),
        ("InputStream in, Charset charset", ["InputStream", "charset"]),
        ("String fileName, String encoding", ["String", "encoding"]),
        ("File log, int bufferSize", ["File", "size"]),
        ("Path path, Consumer<? super String> each", ["Path", "consumer"]),
        ("BufferedReader anything", ["BufferedReader"]),
    ],
)
def test_parameters_of_java_are_given_what_their_types_say(tmp_path, declared, forms):
    text = f"class A {{ public static <T> int f({declared}) throws Exception {{ return 1; }} }}"
    assert fits(put(tmp_path, A_java=text)) == {"A.f": forms}


def test_a_type_of_the_same_name_from_elsewhere_is_none_of_ours(tmp_path):
    text = "import javax.ws.rs.Path;\nclass A { public static int f(Path path) { return 1; } }"
    with pytest.raises(Wrong, match=r"A\.f\(path\) needs path besides a file"):
        fits(put(tmp_path, A_java=text))
    text = "import okio.Path\nfun f(path: Path) = 1\n"
    with pytest.raises(Wrong, match=r"f\(path\) needs path besides a file"):
        fits(put(tmp_path, a_kt=text))


def test_methods_of_java_whose_object_needs_nothing_but_the_file(tmp_path):
    text = """package a.b;
public class Log {
    public Log(java.io.File file, int count) {}
    public Log(java.io.File file) {}
    public int errors() { return count(); }
    public int size() { return size; }
    public String toString() { return "x"; }
    abstract static class Base { public int read(String path) { return 1; } }
    class Inner { public int read(String path) { return 1; } }
    enum Kind { ONE; public int read(String path) { return 1; } }
    public record Row(String path) { public int sum() { return path.length(); } }
    Runnable later = new Runnable() { public void read(String path) {} };
}
"""
    file = put(tmp_path, Log_java=text)
    assert fits(file) == {"Log.errors": ["File"], "Row.sum": ["String"]}
    (errors,) = told(file, "errors")
    assert errors["type"] == "a.b.Log" and errors["constructor"] == ["file:File"]
    assert told(file, "a.b.Log.Row.sum") == told(file, "sum")
    assert told(file, "sum")[0]["type"] == "a.b.Log$Row"


def test_all_of_a_package_that_is_imported_may_have_a_type_of_the_same_name(tmp_path):
    text = "import okio.*;\nclass A { public static int f(Path path) { return 1; } }"
    with pytest.raises(Wrong, match=r"A\.f\(path\) needs path besides a file"):
        fits(put(tmp_path, A_java=text))
    text = f"import java.nio.file.*;\n{text}"
    assert fits(put(tmp_path, A_java=text)) == {"A.f": ["Path"]}
    put(tmp_path, x__Reader_java="package x; // of another folder\nclass Reader {}")
    text = "import java.io.*;\nclass A { static int f(Reader in) { return 1; } }"
    assert fits(put(tmp_path, A_java=text)) == {"A.f": ["Reader"]}
    text = "package x;\nclass A { static int f(Reader in) { return 1; } }"
    with pytest.raises(Wrong, match=r"A\.f\(in\) needs in besides a file"):
        fits(put(tmp_path, x__A_java=text))


def test_a_bound_of_a_type_parameter_is_what_is_given(tmp_path):
    text = "class A { public static <R extends Reader> int f(R in) { return 1; } }"
    assert fits(put(tmp_path, A_java=text)) == {"A.f": ["Reader"]}
    assert fits(put(tmp_path, a_kt="fun <R : Reader> f(input: R): Int = 1\n")) == {"f": ["Reader"]}


def test_functions_of_kotlin_are_found_in_all_their_places(tmp_path):
    text = """package a
fun plain(path: String, size: Int = 3) = 1
fun File.count() = 1
fun each(file: File, handle: (String) -> Unit) {}
fun interface Sink { fun put(path: String) }
class Log(private val path: String?) {
    fun lines(): List<String> = File(path).readLines()
    companion object { fun first(file: File) = 1 }
    inner class Part { fun read(path: String) = 1 }
}
object Tools {
    fun read(paths: Path, vararg options: OpenOption) = 1
    private fun hidden(path: String) = 1
}
"""
    assert fits(put(tmp_path, log_kt=text)) == {
        "plain": ["String", "omitted"],
        "File.count": ["File"],
        "each": ["File", "lambda"],
        "Log.lines": ["String"],
        "Log.first": ["File"],
        "Tools.read": ["Path", "empty"],
    }
    names = {each["name"]: each for each in _without_compiler(tmp_path / "log.kt")}
    assert names["plain"]["type"] == "a.LogKt" and names["File.count"]["extension"]
    assert (
        names["Log.first"]["type"] == "a.Log$Companion" and names["Log.first"]["holder"] == "a.Log"
    )
    assert names["Tools.read"]["field"] == "INSTANCE"
    assert names["plain"]["takes"] == ["file:String", "omitted:Int"]


def _without_compiler(file: Path) -> list[dict]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(maven, "kotlin_compiler", lambda _: [Path("/compiler.jar")])
        return told(file)


def test_what_cannot_be_called_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(maven, "kotlin_compiler", lambda _: [])
    with pytest.raises(Wrong, match=r"load\(path\) is a suspend fun; let another function run it"):
        told(put(tmp_path, a_kt="suspend fun load(path: String) = 1\n"))
    with pytest.raises(Wrong, match=r"load\(path\) is inline with a reified type"):
        told(put(tmp_path, a_kt="inline fun <reified T> load(path: String): T = TODO()\n"))
    with pytest.raises(Wrong, match=r"its count\(\) is in no class"):
        told(put(tmp_path, A_java="int count(String path) { return 1; }\n"))


def test_a_file_takes_along_what_it_needs_and_no_more(tmp_path):
    file = put(
        tmp_path,
        a__b__Main_java="package a.b;\nimport a.c.Helper;\nclass Main { Other o; Helper h; }",
        a__b__Other_java="package a.b;\nclass Other { Third t; }",
        a__b__Third_java="package a.b;\nclass Third {}",
        a__b__Unneeded_java="package a.b;\nclass Unneeded {}",
        a__c__Helper_java="package a.c;\npublic class Helper {}",
    )
    assert near.root_of(file) == tmp_path
    found = {each.name for each in near.needed([file], [tmp_path])}
    assert found == {"Main.java", "Other.java", "Third.java", "Helper.java"}
    kotlin_file = put(
        tmp_path,
        x__main_kt='fun total(path: String) = amountOf("lines()") + "".half() + LIMIT // other()\n',
        x__amount_kt="internal fun amountOf(line: String) = 1\n",
        x__more_kt="fun String.half() = 1\nfun other() = 2\n",
        x__limit_kt="const val LIMIT = 3\n",
        x__lines_kt="fun lines() = 1\nfun total(path: Int) = 1\n",
    )
    found = {each.name for each in near.needed([kotlin_file], [])}
    assert found == {"main.kt", "amount.kt", "more.kt", "limit.kt"}


def test_what_is_named_in_whole_or_as_a_value_is_found(tmp_path):
    file = put(
        tmp_path,
        a__Main_java="package a;\nimport c.X;\nimport e.*;\nclass Main { Star s; Other o; String reimport = b.Util.of(); }",
        a__Other_java="package a;\nclass Other {}",
        b__Util_java="package b;\npublic class Util { public static String of() { return null; } }",
        c__X_java="package c;\nimport static d.Über.In.of;\npublic class X {}",
        e__Star_java="package e;\npublic class Star {}",
        e__Unneeded_java="package e;\npublic class Unneeded {}",
        d__Über_java="package d;\npublic class Über { static class In { static void of() {} } }",
    )
    found = {each.name for each in near.needed([file], [tmp_path])}
    wanted = {"Main.java", "Other.java", "Util.java", "X.java", "Star.java", "Über.java"}
    assert found == wanted
    file = put(
        tmp_path,
        k__main_kt="package k\nfun f(path: String) = path.split(separator).map(::half) + b.c.of()\n"
        'fun g(limit: Int) = "${name()}$most".also { last -> print(last + limit) }\n',
        k__consts_kt="package k\ninternal val separator = ','\n",
        k__more_kt="package k\nfun half(of: String) = of\n",
        k__names_kt="package k\nfun name() = 1\n",
        k__most_kt="package k\nval most = 1\n",
        k__bound_kt="package k\nval limit = 1\nval last = 2\n",
        k__hidden_kt="package k\nprivate fun print(of: Any) = 1\n",
        b__c__of_kt="package b.c\nfun of() = listOf<String>()\n",
    )
    found = {each.name for each in near.needed([file], [tmp_path])}
    assert found == {"main.kt", "consts.kt", "more.kt", "names.kt", "most.kt", "of.kt"}


def test_a_package_may_be_called_as_the_folders_of_tools_are(tmp_path):
    put(
        tmp_path,
        src__main__java__a__build__Plan_java="package a.build;\npublic class Plan {}",
        src__main__java__a__Main_java="package a;\npublic class Main { public static int f(String path)"
        " { return new a.build.Plan().hashCode(); } }",
        target__made__a__Made_java="package a;\nclass Made { static int g(String path) { return 1; } }",
        bin__Loose_java="class Loose { public static int h(String path) { return 1; } }",
    )
    made = glue("jvm", Given(tmp_path, RUNNER))
    assert {Path(place).name for place, _ in made.reads} == {"Main.java", "Plan.java"}
    put(tmp_path, pom_xml=POM.format("one", ""))
    made = glue("jvm", Given(tmp_path, RUNNER))
    assert {Path(place).name for place, _ in made.reads} == {"Main.java", "Plan.java"}


def test_names_for_java_are_those_of_the_class_file(tmp_path):
    text = '@file:JvmName("Kit")\nimport java.io.File\n\n@JvmName("linesIn")\nfun lines(path: String) = 1\n'
    (found,) = _without_compiler(put(tmp_path, a_kt=text))
    assert (found["name"], found["type"], found["method"]) == ("lines", "Kit", "linesIn")


def test_java_beside_kotlin_is_found_where_projects_have_it(tmp_path, monkeypatch):
    monkeypatch.setattr(maven, "kotlin_compiler", lambda _: [])
    file = put(
        tmp_path,
        src__main__kotlin__a__Mean_kt="package a\nfun mean(csv: java.io.File) = Row(csv).amount\n",
        src__main__java__a__Row_java="package a;\npublic class Row { Row(Object o) {} double amount; }",
    )
    values = glue("jvm", Given(file, RUNNER)).values
    assert {Path(each).name for name, each in values.items() if name.startswith("source")} == {
        "Mean.kt",
        "Row.java",
    }


POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>g</groupId><artifactId>{}</artifactId><version>1</version>{}</project>"""
NEEDS = "<dependencies><dependency><groupId>g</groupId><artifactId>{}</artifactId></dependency></dependencies>"


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A project of two modules, and a Maven that writes down what it is asked."""
    modules = "<modules><module>core</module><module>app</module></modules>"
    put(
        tmp_path,
        suite__pom_xml=POM.format("suite", modules),
        suite__core__pom_xml=POM.format("core", NEEDS.format("lib")),
        suite__app__pom_xml=POM.format("app", NEEDS.format("core")),
        suite__app__src__main__java__App_java="public class App { public static int f(String path)"
        " { return Core.one(); } }",
        suite__core__src__main__java__Core_java="public class Core { static int one() { return 1; } }",
        lib_jar="",
    )
    program = put(tmp_path, bin__mvn_sh="")
    maven_program = program.with_suffix("")
    maven_program.write_text(
        f"#!/bin/sh\npwd >> {tmp_path}/asked\necho {tmp_path}/lib.jar > iogauge.classpath\n"
    )
    maven_program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven_program.parent}:/usr/bin:/bin")
    return tmp_path / "suite"


def test_a_module_beside_it_is_compiled_with_it_and_maven_is_asked_once(suite):
    said = list[str]()
    given = Given(suite / "app", RUNNER, say=said.append)
    modules = maven.beside(suite / "app")
    jars = maven.libraries(suite / "app", modules, given)
    assert [each.name for each in jars] == ["lib.jar"] and modules == [suite / "core"]
    assert said == ["asking Maven for the libraries of app"]
    asked = (suite.parent / "asked").read_text().splitlines()
    assert [Path(each).name for each in asked] == ["app", "core"]
    assert not any(each.startswith(str(suite)) for each in asked)
    maven.libraries(suite / "app", modules, given)
    assert (suite.parent / "asked").read_text().splitlines() == asked and len(said) == 1
    made = glue("jvm", Given(suite / "app", RUNNER))
    sources = {Path(each).name for name, each in made.values.items() if name.startswith("source")}
    assert sources == {"App.java", "Core.java"}
    assert {name for name, _ in made.reads} == {"src/main/java/App.java", "Core.java", "lib.jar"}


def test_without_maven_a_line_says_so(suite, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(
        Wrong, match="no mvn on the PATH.*install Maven, or name jars with --own-path"
    ):
        glue("jvm", Given(suite / "app", RUNNER))
    lib = suite.parent / "lib.jar"
    made = glue("jvm", Given(suite / "app", RUNNER, class_path=(lib,)))
    assert str(lib) in made.values.values()
    assert "Core.java" in {name for name, _ in made.reads}, (
        "the modules beside it come without Maven"
    )


def test_what_is_only_compiled_with_is_asked_for_too(suite):
    (suite.parent / "bin/mvn").write_text(
        f'#!/bin/sh\nfor last; do :; done\necho "$last" >> {suite.parent}/asked\n'
        "echo > iogauge.classpath\n"
    )
    scope = "<scope>provided</scope></dependency>"
    needs = NEEDS.format("lombok").replace("</dependency>", scope)
    put(suite, core__pom_xml=POM.format("core", needs))
    maven.libraries(suite / "core", [], Given(suite, RUNNER))
    asked = (suite.parent / "asked").read_text().split()
    assert asked == ["-Dmdep.includeScope=runtime", "-Dmdep.includeScope=compile"]


PARENT = "<parent><groupId>g</groupId><artifactId>{}</artifactId><version>1</version>{}</parent>"


def test_modules_lie_where_their_projects_say(suite):
    """Further down, beside the project, in it, or named by their file."""
    modules = "<modules><module>deep/down/app</module><module>.</module><module>core/pom.xml</module></modules>"
    above = PARENT.format("suite", "<relativePath>../../../pom.xml</relativePath>")
    put(
        suite,
        pom_xml=POM.format("suite", modules),
        deep__down__app__pom_xml=POM.format("deep", above + NEEDS.format("core")),
        flat__parent__pom_xml=POM.format("flat", "<modules><module>../one</module></modules>"),
        flat__one__pom_xml=POM.format(
            "one",
            PARENT.format("flat", "<relativePath>../parent</relativePath>") + NEEDS.format("lib"),
        ),
    )
    app = suite / "deep/down/app"
    assert maven.beside(app) == [suite / "core"]
    assert maven.modules(suite) == [suite, app, suite / "core"]
    (suite.parent / "bin/mvn").write_text(
        f"#!/bin/sh\nls ../*/pom.xml ../../../pom.xml >> {suite.parent}/asked 2> /dev/null\n"
        "echo > iogauge.classpath\n"
    )
    maven.libraries(app, [suite / "core"], Given(app, RUNNER))
    assert "../../../pom.xml" in (suite.parent / "asked").read_text().split()
    (suite.parent / "asked").unlink()
    maven.libraries(suite / "flat/one", [], Given(app, RUNNER))
    asked = (suite.parent / "asked").read_text().split()
    assert {"../parent/pom.xml", "../one/pom.xml"} <= {*asked}


COUNTS = "public class Core { public static int f(String path) { return 1; } }"


def test_what_lies_on_the_class_path_belongs_to_the_identity(suite):
    put(suite, core__src__main__java__Core_java=COUNTS)

    def known(*paths):
        made = glue("jvm", Given(suite / "core", RUNNER, class_path=paths))
        return [(name, path.read_text()) for name, path in made.reads]

    jar = put(suite.parent, lib__a_jar="1", classes__a__B_class="2")
    put(suite.parent, **{"home__.m2__p_jar": "4"})
    folder, published = suite.parent / "classes", suite.parent / "home/.m2/p.jar"
    source = ("src/main/java/Core.java", COUNTS)
    assert known(jar, folder, published) == [source, ("a.jar", "1"), ("classes/a/B.class", "2")]
    put(suite, core__src__main__resources__words_txt="5")
    assert ("resources/words.txt", "5") in known(jar)


def test_a_colon_in_the_path_of_a_library_is_told(suite):
    put(suite, core__src__main__java__Core_java=COUNTS)
    jar = put(suite.parent, **{"a:b__c_jar": ""})
    with pytest.raises(Wrong, match=r"a:b/c.jar has a ':' in its path, which separates"):
        glue("jvm", Given(suite / "core", RUNNER, class_path=(jar,)))


@pytest.fixture
def gradles(tmp_path):
    """A project of Gradle, and what it answers; with what it was asked so far."""
    put(
        tmp_path,
        settings_gradle="include 'app', 'core'\n",
        app__build_gradle="dependencies { implementation project(':core') }\n",
        core__build_gradle="dependencies { api 'g:lib:1' }\n",
        app__src__main__java__App_java="public class App { public static int f(String path)"
        " { return 1; } }",
        lib_jar="",
    )
    wrapper = tmp_path / "gradlew"
    wrapper.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho iogauge:{tmp_path}/lib.jar\n'
        f"echo iogauge:{tmp_path}/core/build/libs/core.jar\n"
    )
    wrapper.chmod(0o755)

    def asked() -> list[str]:
        file = tmp_path / "asked"
        return file.read_text().splitlines() if file.exists() else []

    return tmp_path, asked


def test_gradle_is_asked_again_where_any_of_its_files_changed(gradles):
    folder, asked = gradles
    given = Given(folder / "app", RUNNER)
    assert [each.name for each in gradle.libraries(folder / "app", given)] == ["lib.jar"]
    gradle.libraries(folder / "app", given)
    assert len(asked()) == 1 and "--project-cache-dir" in asked()[0]
    put(folder, core__build_gradle="dependencies { api 'g:lib:2' }\n")
    gradle.libraries(folder / "app", given)
    put(folder, buildSrc__src__main__kotlin__conventions_gradle="")
    gradle.libraries(folder / "app", given)
    assert len(asked()) == 3


def test_classes_of_a_module_of_gradle_come_before_its_jar(gradles):
    folder, asked = gradles
    given = Given(folder / "app", RUNNER)
    jar = put(folder, core__build__libs__core_jar="old")
    assert jar in gradle.libraries(folder / "app", given)
    put(folder, core__build__classes__java__main__Core_class="new")
    found = gradle.libraries(folder / "app", given)
    assert folder / "core/build/classes/java/main" in found and jar not in found
    assert len(asked()) == 1
    made = glue("jvm", given)
    assert ("main/Core.class", "new") in [(name, one.read_text()) for name, one in made.reads]


@pytest.mark.parametrize(
    ("build", "asks"),
    [
        ("plugins { id 'java' }", False),
        ('plugins { `java-library`; kotlin("jvm") version "2" }', False),
        ('plugins { id("org.jetbrains.kotlin.jvm") }', False),
        ('plugins { id("our.conventions") }', True),
        ("plugins { alias(libs.plugins.ours) }", True),
        ("apply from: 'libraries.gradle'", True),
        ('dependencies { "implementation"(libs.okio) }', True),
    ],
)
def test_gradle_is_asked_where_libraries_may_be(gradles, build, asks):
    folder, asked = gradles
    (folder / "core/build.gradle").unlink()
    put(folder, app__build_gradle=build)
    gradle.libraries(folder / "app", Given(folder / "app", RUNNER))
    assert bool(asked()) is asks


def test_the_error_of_maven_is_told_in_a_line(suite):
    program = suite.parent / "bin/mvn"
    program.write_text("#!/bin/sh\necho '[ERROR] no   such artifact'\nexit 1\n")
    with pytest.raises(Wrong, match=r"Maven, which finds .* says: no such artifact; mend that, or"):
        glue("jvm", Given(suite / "app", RUNNER))


def test_classes_that_were_built_are_copied_and_only_what_changed_is_compiled(suite):
    classes = put(suite, app__target__classes__App_class="old")
    source = suite / "app/src/main/java/App.java"
    os.utime(source, (1, 1))
    made = glue("jvm", Given(suite / "app", RUNNER))
    assert [path for _, path in made.copies] == [classes] and not made.commands
    os.utime(source)
    os.utime(classes, (1, 1))
    made = glue("jvm", Given(suite / "app", RUNNER))
    assert made.commands and str(source) in made.values.values()
