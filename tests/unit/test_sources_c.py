"""Functions in C and C++: what is found in their source, what each parameter is given, and which files
and flags a build has.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogauge.sources import functions
from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages import c
from iogauge.sources.languages.c import fitting
from iogauge.sources.languages.c.declared import declared, merged, with_methods


def fits(text: str, grammar: str = "cpp", asked: str = "") -> dict[str, list[str]]:
    """The functions that are chosen of this text, with what their parameters are given."""
    found = declared(Path(f"code.{grammar}"), text.encode(), grammar)
    types, classes = merged([found])
    every = with_methods(found, classes)
    chosen = functions.choose(every, fitting.taking(grammar, types), asked=asked)
    return {
        each.function.shown: [one.form or one.what for one in (*each.made_of, *each.takes)]
        for each in chosen.fits
    }


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("long f(const char *path) {}", ["text"]),
        ("static inline long f(char path[]) {}", ["text"]),
        ("API size_t f(FILE *in, FILE *out) {}", ["FILE", "sink"]),
        ("int f(int fd, bool verbose) {}", ["descriptor", "zero"]),
        ("int f(const char *path, char **out, size_t *len) {}", ["text", "out:char", "out:size_t"]),
        ("int f(const char *restrict path, size_t block_size) {}", ["text", "block"]),
        ("struct s { int a; }; int f(const char *path, struct s *s) {}", ["text", "out:struct s"]),
        ("typedef struct { int a; } s_t; int f(const char *p, s_t *s) {}", ["text", "out:s_t"]),
        (
            "struct o { int a; }; int f(const char *path, const struct o *opts) { if (!opts) {} }",
            ["text", "null"],
        ),
        ("int f(const char *path, int (*cb)(void *), void *user) {}", ["text", "callback", "null"]),
        ("typedef void (*each)(int); int f(const char *path, each e) {}", ["text", "callback"]),
        ("int f(const char *path, ...) {}", ["text"]),
    ],
)
def test_what_parameters_of_c_are_given(text, takes):
    (found,) = fits(text, "c").values()
    assert [each.replace("out:char*", "out:char") for each in found] == takes


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("int f(const std::string& path) {}", ["made:std::string"]),
        ("int f(std::string_view file = {}) {}", ["made:std::string_view"]),
        ("int f(const fs::path& p) {}", ["made:fs::path"]),
        ("int f(std::istream& in, std::ostream& out) {}", ["stream:ifstream", "ostream"]),
        ("int f(std::ifstream in) {}", ["moved:ifstream"]),
        ("int f(std::unique_ptr<std::istream> in) {}", ["pointer:unique_ptr:istream"]),
        ("template <class In> int f(In& in) {}", ["stream:ifstream"]),
        ("template <class P> int f(const P& path) {}", ["made:std::string"]),
        ("int f(auto&& stream) {}", ["stream:ifstream"]),
        ("template <class F> int f(const char* path, F&& f) {}", ["text", "ignore"]),
        (
            "int f(const std::string& path, std::string& text, std::error_code& ec) {}",
            ["made:std::string", "out:std::string", "out:std::error_code"],
        ),
        (
            "int f(const std::string& path, char sep = ',', size_t n = 4) {}",
            ["made:std::string", "omitted", "omitted"],
        ),
        (
            "struct Options {}; int f(const char* path, const Options& o) {}",
            ["text", "value:Options"],
        ),
    ],
)
def test_what_parameters_of_cpp_are_given(text, takes):
    (found,) = fits(text).values()
    assert found == takes


def test_methods_are_called_where_their_object_can_be_made():
    text = """
    namespace a { class Log {
      Log(int);
    public:
      explicit Log(std::string path); Log(const Log&) = default; ~Log();
      int lines() const { return count(); }
      const std::string& path() const { return path_; }
      static long size(const char* file);
    private:
      int hidden() { return count(); }
    };
    long Log::size(const char* file) { return open(file); }
    struct Shape { virtual int area(const char* path) = 0; int f(const char* path) { return area(path); } };
    template <class T> struct Generic { int f(const char* path) { return T(path); } };
    }"""
    assert fits(text) == {"a.Log.lines(path)": ["made:std::string"], "a.Log.size(file)": ["text"]}
    assert fits(text, asked="a::Log::size") == {"a.Log.size(file)": ["text"]}


def test_what_is_compiled_elsewhere_alone_is_left_out():
    text = """
    #ifdef _WIN32
    int other(const char *path) {}
    #else
    int here(const char *path) {}
    #endif
    #if 0
    int never(const char *path) {}
    #endif
    """
    assert [*fits(text, "c")] == ["here(path)"]


def glue(path: Path, *flags: str, function: str = "") -> dict[str, str]:
    made = c.glue(Given(path, Path(), function, flags))
    return {**made.texts, "reads": " ".join(name for name, _ in made.reads)}


@pytest.fixture
def project(tmp_path):
    """A file that needs a header and one of two other sources."""
    for name, text in {
        "src/read.c": '#include "mine.h"\nlong f(const char *path) { return helped(path); }\n',
        "src/help.c": '#include "mine.h"\nlong helped(const char *p) { return *p; }\nint main() {}\n',
        "src/other.c": "long helped_not(void) { return 1; }\n",
        "include/mine.h": "long helped(const char *p);\nlong not_used(void);\n",
        "Makefile": "CFLAGS = -O2 -DMINE=1 -Wall\nLDLIBS += -lz\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_file_brings_what_it_needs_of_its_project(project):
    texts = glue(project / "src" / "read.c", "-O3", "-lm")
    assert texts["reads"] == "include/mine.h src/help.c src/read.c"
    assert '#include "{root}/src/read.c"' in texts["own/glue-1.c"]
    arguments = texts["own/glue-1.args"].split("\n")
    assert {'"-DMINE=1"', '"-I{root}/include"', '"-O3"'} < set(
        arguments
    ) and '"-lm"' not in arguments
    assert '"-Dmain=iogauge_other_main_1"' in texts["own/linked-1.args"]
    assert {'"-lz"', '"-lm"'} < set(texts["own/link.args"].split("\n"))
    assert str(project) not in " ".join(texts.values())


def test_the_flags_of_a_file_are_those_of_its_compile_command(project):
    command = "cc -Iinclude -DTEXT='\"a b\"' -Werror -g -c -o read.o src/read.c"
    entry = {"directory": str(project), "file": "src/read.c", "command": command}
    helping = {
        "directory": str(project),
        "file": "src/help.c",
        "arguments": ["cc", "-c", "src/help.c"],
    }
    (project / "build").mkdir()
    (project / "build" / "compile_commands.json").write_text(json.dumps([entry, helping]))
    texts = glue(project / "src" / "read.c")
    arguments = texts["own/glue-1.args"].split("\n")
    assert '"-I{root}/include"' in arguments and '"-DTEXT=\\"a b\\""' in arguments
    assert not {'"-Werror"', '"-g"', '"-c"', '"-DMINE=1"'} & set(arguments)


def told(project: Path, command: str) -> None:
    """The project is compiled by this command, as a build folder says."""
    entry = {"directory": str(project), "file": "src/read.c", "command": f"cc {command} src/read.c"}
    (project / "compile_commands.json").write_text(json.dumps([entry]))


@pytest.fixture
def apart(project, tmp_path_factory, monkeypatch):
    """What lies elsewhere: headers and libraries. It is the current folder."""
    folder = tmp_path_factory.mktemp("apart")
    (folder / "include").mkdir()
    (folder / "include" / "sum.h").write_text("struct sum { long bytes; };\n")
    (folder / "config.h").write_text("#include <sum.h>\n")
    (folder / "libmine.a").write_text("")
    text = "#include <sum.h>\nlong f(const char *path, struct sum *sum) { return *path; }\n"
    (project / "src" / "read.c").write_text(text)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("kind", ["-I", "-I ", "-isystem ", "-idirafter "])
def test_headers_that_flags_name_are_read(project, apart, kind):
    reads = f"{apart}/include/sum.h src/read.c"
    texts = glue(project / "src" / "read.c", *f"{kind}include".split())
    assert texts["reads"] == reads and "struct sum iogauge_1" in texts["own/glue-1.c"]
    told(project, f"{kind}{apart}/include -c")
    assert glue(project / "src" / "read.c")["reads"] == reads


def test_a_header_that_a_flag_includes_is_read(project, apart):
    both = f"{apart}/config.h {apart}/include/sum.h"
    given = ("-include", "config.h", "-Iinclude")
    assert glue(project / "src" / "read.c", *given)["reads"] == f"{both} src/read.c"
    told(project, f"-include {apart}/config.h -I{apart}/include")
    assert glue(project / "src" / "read.c")["reads"] == f"{both} src/read.c"
    # One that is not there is searched for.
    told(project, "-include mine.h -Iinclude -c")
    texts = glue(project / "src" / "read.c", "-Iinclude")
    assert "include/mine.h" in texts["reads"] and '"-includemine.h"' in texts["own/glue-1.args"]


@pytest.mark.parametrize("given", ["libmine.a", "-L. -lmine", "-L . -l mine", "-L. -l:libmine.a"])
def test_libraries_that_flags_name_are_read(project, apart, given):
    texts = glue(project / "src" / "read.c", "-Iinclude", *given.split())
    assert f"{apart}/libmine.a" in texts["reads"].split()


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("-isystem include", "-isystem{apart}/include"),
        ("-include config.h", "-include{apart}/config.h"),
        ("-D NAME", "-DNAME"),
        ("--param max-unroll-times=2", "--param=max-unroll-times=2"),
    ],
)
def test_a_flag_and_its_value_stay_together(project, apart, given, word):
    texts = glue(project / "src" / "read.c", "-Iinclude", *given.split())
    words = texts["own/glue-1.args"].split("\n")
    assert f'"{word.format(apart=apart)}"' in words
    values = ("include", f"{apart}/include", "config.h", f"{apart}/config.h", "NAME")
    assert not {f'"{each}"' for each in values} & {*words}
    assert texts["own/link.args"] == '"-Wl,-z,muldefs"\n"-lz"\n'


def test_what_the_linker_has_to_know_of_a_compile_command_it_is_told(project):
    told(project, "ccache -fopenmp -fsanitize=address -march=native --coverage -O0 -c")
    texts = glue(project / "src" / "read.c")
    linking = texts["own/link.args"].split()
    assert linking[1:] == ['"-fopenmp"', '"-fsanitize=address"', '"-march=native"']
    words = texts["own/glue-1.args"].split()
    assert words.index('"-O2"') < words.index('"-O0"')
    assert not {'"ccache"', '"--coverage"'} & {*words}


def test_a_compile_command_is_found_in_a_build_folder_above(tmp_path):
    (source := tmp_path / "src" / "tok.c").parent.mkdir()
    (tmp_path / "include").mkdir(), (tmp_path / "build").mkdir()
    (tmp_path / "include" / "tok.h").write_text("#define TOK 1\n")
    source.write_text('#include "tok.h"\nint f(const char *path) { return TOK; }\n')
    command = {
        "directory": str(tmp_path),
        "file": "src/tok.c",
        "command": "cc -Iinclude -c src/tok.c",
    }
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([command]))
    assert '"-I{root}/include"' in glue(source)["own/glue-1.args"]


def test_a_file_with_a_name_that_no_compiler_takes_stands_in_nobodys_way(tmp_path):
    (tmp_path / "count.c").write_text("int f(const char *path) { return *path; }\n")
    (quoted := tmp_path / 'quote"d.c').write_text("int g(const char *path) { return *path; }\n")
    assert "own/glue-1.c" in glue(tmp_path / "count.c")
    assert "own/glue-1.c" in glue(tmp_path)
    with pytest.raises(Wrong, match="a compiler takes no path like"):
        glue(quoted)


def test_flags_of_a_makefile_have_their_values(project):
    text = "CPPFLAGS = -I $(TOP) -I$(TOP)/a -DB=1 -I include -include config.h\n"
    (project / "Makefile").write_text(text)
    words = glue(project / "src" / "read.c")["own/glue-1.args"].split()
    assert {'"-DB=1"', '"-I{root}/include"', '"-includeconfig.h"'} < {*words}
    assert not any("\1" in each for each in words)


@pytest.mark.parametrize("end", ["c", "cpp"])
def test_files_that_define_the_same_are_not_measured_beside_each_other(tmp_path, monkeypatch, end):
    monkeypatch.chdir(tmp_path)
    for at in (1, 2, 3):
        shared = "static " if at == 3 else ""
        text = f"{shared}int line(int n) {{ return n; }}\n"
        (tmp_path / f"v{at}.{end}").write_text(f"{text}int f{at}(const char *path) {{}}\n")
    made = c.glue(Given(tmp_path, Path()))
    assert f"own/glue-2.{end}" in made.texts and f"own/glue-3.{end}" not in made.texts
    says = f"v2.{end}: v1.{end} has line, too; to compare them: --own one=v1.{end}"
    assert made.left_out == (f"{says} --own other=v2.{end}",)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.c", "int main(int argc, char **argv) { return 0; }", "only main\\(\\) in it"),
        ("a.c", "int copy(const char *src, const char *dst) {}", "needs dst besides a file"),
        ("a.cpp", "int f(const std::string& path, int (&x)[3], Thing t) {}", "needs .*t besides"),
        ("a.c", "", "no function in it"),
    ],
)
def test_where_nothing_can_be_called_one_line_says_why(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(Wrong, match=says):
        glue(tmp_path / name)


def test_two_functions_whose_names_become_the_same_are_told_apart(tmp_path):
    (tmp_path / "a.c").write_text("int f_a(const char *path) {}\nint F_A(const char *path) {}\n")
    text = glue(tmp_path / "a.c")["own/glue-1.c"]
    assert '"c/own-f-a"' in text and '"c/own-f-a-2"' in text


def test_what_gives_one_thing_after_another_is_called_until_it_ends(tmp_path):
    (tmp_path / "log.cpp").write_text("""#include <optional>
#include <string>
class Scanner {
public:
    Scanner(std::string path);
    std::optional<int> next() { return {}; }
    std::optional<int> first() { return {}; }
};
""")
    (text,) = (each for each in glue(tmp_path / "log.cpp").values() if "IOGAUGE_CALL_1" in each)
    assert "for (;;) { auto iogauge_given = iogauge_object.next(); if (!iogauge_given)" in text
    assert "IOGAUGE_CALLED(iogauge_r, iogauge_object.first());" in text
