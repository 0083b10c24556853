"""Which functions of source code need nothing but a file: the rules that all languages share, and
what is said where none does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from iogauge.runners import mistakes
from iogauge.sources.functions import Function, Parameter, Take, choose, is_named_as_file
from iogauge.sources.language import Wrong


def function(name: str, *parameters: str, **more) -> Function:
    """`path: text`, and `options?: Options` where it may be left out."""
    made = [each.partition(": ") for each in parameters]
    return Function(
        name, tuple(Parameter(a.rstrip("?"), b, a.endswith("?")) for a, _, b in made), **more
    )


def taking(parameter: Parameter, _: Function) -> Take | None:
    known = {"text": Take("file", "text"), "file": Take("file", "file", sure=True)}
    return {**known, "context": Take("other", "context")}.get(parameter.type)


def chosen(*functions: Function, asked: str = "", refusing=lambda _: None) -> list[str]:
    return [each.function.name for each in choose(functions, taking, refusing, asked).fits]


def test_functions_of_a_file_are_found_by_type_or_name():
    read = function("read", "path: text")
    whole = function("whole", "context: context", "x: file", "options?: Options")
    helper = function("clean", "line: text")
    assert chosen(read, whole, helper) == ["read", "whole"]
    assert chosen(helper) == ["clean"]  # tried, as nothing is better
    assert chosen(helper, asked="clean") == ["clean"]


def test_private_functions_come_where_no_public_one_fits():
    public = function("add", "a: int", "b: int")
    private = function("readAll", "fileName: text", public=False)
    assert chosen(public, private) == ["readAll"]
    assert chosen(public, private, function("load", "path: text")) == ["load"]


def test_methods_of_what_is_made_of_a_path_count():
    made = function("LogFile.lines", made_of=(Parameter("path", "text"),))
    (fit,) = choose([made], taking).fits
    assert (
        fit.file.form == "text" and fit.takes == () and fit.function.shown == "LogFile.lines(path)"
    )
    assert chosen(made, asked="LogFile::lines") == chosen(made, asked="lines") == ["LogFile.lines"]
    within = replace(made, name="logs.LogFile.lines")
    assert chosen(within, asked="LogFile::lines") == chosen(within, asked="lines") == [within.name]


def test_of_two_texts_the_one_that_is_called_as_a_path_is_the_file():
    assert chosen(function("read", "path: text", "encoding?: text")) == ["read"]
    with pytest.raises(Wrong, match=r"copy\(src, dst\) needs dst besides a file"):
        chosen(function("copy", "src: text", "dst: text"))


def test_of_overloads_the_one_of_a_path_type_is_taken():
    (fit,) = choose([function("read", "path: text"), function("read", "path: file")], taking).fits
    assert fit.file.form == "file"


def test_of_functions_of_one_name_in_two_files_the_first_is_measured_and_a_line_says_so():
    one, two = (function("count", "path: text", file=Path(f"{each}.x")) for each in ("one", "two"))
    other = function("other", "path: text", file=Path("two.x"))
    found = choose([one, two, other], taking)
    assert [(each.function.name, each.function.file.name) for each in found.fits] == [
        ("count", "one.x"),
        ("other", "two.x"),
    ]
    assert found.left_out == (
        "count of two.x: one.x has one, too; to compare them: --own one=one.x --own other=two.x",
    )


@pytest.mark.parametrize(
    ("functions", "asked", "says"),
    [
        ([], "", "no function in it"),
        ([function("main")], "", r"main\(\) takes nothing; let it take a path"),
        ([function("add", "a: int", "b: int")], "", r"add\(a, b\) needs a and b besides a file"),
        (
            [function("a", "x: int"), function("b", "x: int")],
            "",
            "nothing but a file; there are: a, b; write one of the path alone",
        ),
        ([function("read", "path: text")], "reed", "no function reed in it; there are: read"),
    ],
)
def test_where_no_function_fits_one_line_says_why(functions, asked, says):
    with pytest.raises(Wrong, match=says):
        chosen(*functions, asked=asked)


def test_what_cannot_be_called_is_told_beside_what_can():
    functions = [function("a", "path: text"), function("b", "path: text")]
    refusing = {"b": "is an async fn; call it from a plain one"}
    found = choose(functions, taking, lambda each: refusing.get(each.name))
    assert [each.function.name for each in found.fits] == ["a"]
    assert found.left_out == ("b(path) is an async fn; call it from a plain one",)
    with pytest.raises(Wrong, match="is an async fn"):
        choose(functions[1:], taking, lambda each: refusing.get(each.name))


def test_what_reads_a_file_and_needs_more_is_told_beside_what_is_measured():
    needy = [function(f"f{each}", "path: text", "column: int") for each in range(2)]
    plain = [function("read", "path: text"), function("add", "a: int", "b: int")]
    hidden = function("_f", "path: text", "n: int", public=False)
    found = choose([*plain, needy[0], hidden], taking)
    says = "f0() needs column besides a file; write a function of the path alone"
    assert found.left_out == (says,)
    more = [function(f"g{each}", "path: text", "a: int", "b: int") for each in range(3)]
    (says,) = choose([*plain, *needy, *more], taking).left_out
    assert says.startswith(
        "f0() needs column, f1() needs column, g0() needs a and b, and 2 others "
    )
    assert choose([*plain, *needy], taking, asked="read").left_out == ()


def test_of_many_that_cannot_be_called_two_are_told_and_how_many_more_there_are():
    functions = [function(name, "path: text") for name in "abcd"]
    says = "a(path) is async; b(path) is async; and 2 more"
    with pytest.raises(Wrong, match=f"^{re.escape(says)}$"):
        choose(functions, taking, lambda _: "is async")


def test_a_fit_tells_which_parameter_is_the_file_and_whether_that_says_so():
    made = (Parameter("limit", "context"), Parameter("path", "text"))
    (fit,) = choose([function("Log.read", made_of=made)], taking).fits
    assert (fit.parameter, fit.file.form, fit.is_likely) == (made[1], "text", True)
    (fit,) = choose([function("clean", "line: text")], taking).fits
    assert fit.parameter.name == "line" and not fit.is_likely


def test_names_of_files_are_told_from_others():
    files = "path filePath file_name fileName csvPath log inputFile src reader fname fp in input"
    others = "outputPath dst line chunk n size data url text classPath tmpFile destination s"
    assert all(map(is_named_as_file, files.split()))
    assert not [each for each in others.split() if is_named_as_file(each)]


@pytest.mark.parametrize(
    "printed",
    [
        "In file included from own/glue.c:3:\n{file}:3:5: error: ‘x’ undeclared\n",
        "{file}:3: error: ‘x’ undeclared\n    x\n",
        "error[E0425]: ‘x’ undeclared\n --> {file}:3:5\n  |\n",
        "e: file://{file}:3:5 ‘x’ undeclared\n",
        "{file}(3,5): error TS2304: ‘x’ undeclared\n",
        "✘ [ERROR] ‘x’ undeclared\n\n    {file}:3:5:\n",
    ],
)
@pytest.mark.parametrize("folder", ["mine", "my code (copy)", "a:12:b"])
def test_the_first_mistake_of_a_compiler_is_told_in_a_line(tmp_path, printed, folder):
    mine, build = tmp_path / folder, tmp_path / "build"
    mine.mkdir(), (build / "own").mkdir(parents=True)
    (mine / "count.x").write_text("")
    (build / "own" / "glue.c").write_text("")
    copies = [(build.relative_to(build) / "own" / "code.x", mine / "count.x")]
    for file in (mine / "count.x", "own/code.x", build / "own" / "code.x"):
        output = f"warning: something\n{printed.format(file=file)}"
        assert mistakes.first(output, build, mine, copies) == "count.x:3: ‘x’ undeclared"
    for glue in ("own/glue.c", build / "own" / "glue.c"):
        ours = printed.format(file=glue).replace("In file included from own/glue.c:3:\n", "")
        assert mistakes.first(ours, build, mine, copies) is None


@pytest.mark.parametrize(
    ("takes_flags", "step"),
    [
        (True, "give what has it to the linker: --own-flags=-lNAME"),
        (False, "let your project name the library that has it"),
    ],
)
def test_what_a_linker_misses_is_told_with_a_step_that_this_language_has(
    tmp_path, takes_flags, step
):
    output = "ld: count.o: in function `f': count.c:(.text+0x5): undefined reference to `inflate'\n"
    told = mistakes.first(output, tmp_path, tmp_path, [], takes_flags=takes_flags)
    assert told == f"nothing defines inflate; {step}"


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "code.go:3:8: no required module provides package x.org/y; to add it:\n\tgo get x\n",
            "code.go:3: no required module provides package x.org/y; give the folder of a package "
            "whose go.mod names it",
        ),
        (
            "code.go:3:8: missing go.sum entry for module providing package x; to add:\n\tgo get x\n",
            "code.go:3: missing go.sum entry for module providing package x; run go get x",
        ),
        (
            "error[E0308]: mismatched types\n --> code.rs:1:3\n  |\n1 | 1\n  |   ^ expected `String`, "
            "found integer\n\nerror: other, expected a, found b\n",
            "code.rs:1: mismatched types: expected `String`, found integer",
        ),
        (
            "error[E0432]: unresolved import `memchr`\n --> code.rs:1:3\n",
            "code.rs:1: unresolved import `memchr`; give the folder of a package whose Cargo.toml "
            "names it",
        ),
        (
            "error[E0432]: unresolved import `crate::x`\n --> code.rs:1:3\n",
            "code.rs:1: unresolved import `crate::x`",
        ),
        (
            "go: downloading x v1\ngo: updates to go.mod needed; to update it:\n",
            "updates to go.mod needed",
        ),
        ('go: x@v1: Get "https://x": dial tcp: lookup x: no such host\n', None),
        ("go: downloading x v1\n", None),
    ],
)
def test_what_is_wrong_with_a_project_is_told_in_a_line(tmp_path, output, says):
    (tmp_path / "code.go").touch(), (tmp_path / "code.rs").touch()
    assert mistakes.first(output, tmp_path / "build", tmp_path, []) == says


def test_lines_of_glue_that_do_not_compile_are_left_out(tmp_path):
    (tmp_path / "glue").mkdir()
    (tmp_path / "glue" / "calls.rs").write_text("first\ncall f\ncall g\n")
    calls = {"glue/calls.rs": {2: "without f, {why}", 3: "without g, {why}"}}
    ours = 'error[E0308]: a "type"\n --> /build/glue/calls.rs:2:5\nerror: more\n --> calls.rs:2:9\n'
    theirs = "error: mismatched types\n --> src/lib.rs:2:5\n"
    for output in ("", theirs, ours + theirs, ours.replace(":2:", ":1:")):
        assert not mistakes.leave_out(output, tmp_path, calls)
    assert mistakes.leave_out(ours, tmp_path, calls)
    text = (tmp_path / "glue" / "calls.rs").read_text()
    assert text == 'first\nwithout f, "a \\"type\\""\ncall g\n'
    assert not mistakes.leave_out(ours, tmp_path, calls)  # what stands there is no call
    assert mistakes.leave_out("./calls.rs:3:7: error: no\n", tmp_path, calls)
