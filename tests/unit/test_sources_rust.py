"""Which functions of Rust code are found, what their parameters are given, and what is built."""

from __future__ import annotations

import os
import tomllib

import pytest

from iogauge.runners import manifest
from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages import rust
from iogauge.sources.languages.rust import cargo, source, types

TEMPLATES = manifest.sources_folder() / "rust"


def written(folder, files):
    """These files, as `PATH: TEXT`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def glue(folder, name="", function=""):
    return rust.glue(Given(folder / name, TEMPLATES, function))


def calls(made) -> list[str]:
    """The calls in the glue, by the names of functions."""
    texts = [text for place, text in made.verbatim.items() if place.startswith("own/")]
    ways = [each for text in texts for each in text.split("::iogauge_glue::way! {")[1:]]
    return [each.partition(" } ")[0].partition("| ")[2].strip(" }\n") for each in ways]


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        ("path: &str", "given.text()"),
        ("path: String", "given.text().to_owned()"),
        ("path: &String", "&given.text().to_owned()"),
        ("p: &Path", "given.path()"),
        ("p: &std::path::Path", "given.path()"),
        ("p: PathBuf", "given.path().to_owned()"),
        ("p: &'a PathBuf", "&given.path().to_owned()"),
        ("path: &OsStr", "given.os()"),
        ("path: Cow<'_, str>", "given.text().into()"),
        ("p: impl AsRef<Path>", "given.path()"),
        ("p: &impl AsRef<Path>", "&given.path()"),
        ("p: impl Into<PathBuf>", "given.path()"),
        ("mut f: File", "given.file()"),
        ("f: &mut File", "&mut given.file()"),
        ("x: impl Read + Seek", "given.file()"),
        ("x: impl BufRead", "given.reader()"),
        ("x: &mut dyn BufRead", "&mut given.reader()"),
        ("x: &mut (dyn Read + Send)", "&mut given.file()"),
        ("x: Box<dyn Read>", "::std::boxed::Box::new(given.file())"),
        ("x: BufReader<File>", "given.reader()"),
    ],
)
def test_a_file_comes_in_each_type_that_takes_one(tmp_path, parameter, given):
    written(tmp_path, {"code.rs": f"pub fn f({parameter}) -> u8 {{ 0 }}\n"})
    assert calls(glue(tmp_path, "code.rs")) == [f"super::f({given})"]


@pytest.mark.parametrize(
    ("generics", "parameter", "where", "given"),
    [
        ("P: AsRef<Path>", "p: P", "", "given.path()"),
        ("P", "p: P", "where P: AsRef<std::path::Path>", "given.path()"),
        ("P", "p: &P", "where P: AsRef<Path> + ?Sized", "given.path()"),
        ("P: AsRef<Path> + Send + 'static", "p: P", "", "given.path().to_owned()"),
        ("S: AsRef<str>", "path: S", "", "given.text()"),
        ("R: std::io::Read", "r: &mut R", "", "&mut given.file()"),
        ("R", "r: std::io::BufReader<R>", "where R: Read", "given.reader()"),
    ],
)
def test_a_generic_parameter_is_given_what_its_bounds_take(
    tmp_path, generics, parameter, where, given
):
    written(tmp_path, {"code.rs": f"pub fn f<{generics}>({parameter}) -> u8 {where} {{ 0 }}\n"})
    assert calls(glue(tmp_path, "code.rs")) == [f"super::f({given})"]


def test_options_and_nothing_are_given_and_what_only_a_caller_knows_is_not(tmp_path):
    text = """
#[derive(Default)] pub struct Options;
pub struct Mode; impl Mode { pub fn new() -> Self { Mode } }
pub fn a(path: &str, options: &Options, limit: Option<usize>, into: &mut Vec<u8>) {}
pub fn b(path: &str, mode: Mode) {}
pub fn c(path: &str, size: usize) {}
pub fn d<T: std::str::FromStr>(path: &str) -> Vec<T> { vec![] }
"""
    written(tmp_path, {"code.rs": text})
    made, plain = glue(tmp_path, "code.rs"), "::core::default::Default::default()"
    none = "::core::option::Option::None"
    assert calls(made) == [
        f"super::a(given.text(), &{plain}, {none}, &mut {plain})",
        "super::b(given.text(), super::Mode::new())",
    ]
    assert made.left_out == (
        "d(path) has a type T that only its caller knows; write one without it",
        "c() needs size besides a file; write a function of the path alone",
    )
    with pytest.raises(Wrong, match=r"c\(path, size\) needs size besides a file"):
        glue(tmp_path, "code.rs", "c")


def test_types_of_others_with_a_known_name_are_no_files(tmp_path):
    text = "use tokio::fs::File;\npub fn f(file: File) {}\nstruct Path; fn g(path: &Path) {}\n"
    written(tmp_path, {"code.rs": text})
    with pytest.raises(Wrong, match="nothing but a file; there are: f, g"):
        glue(tmp_path, "code.rs")


def test_methods_are_called_on_what_a_constructor_makes_of_the_file(tmp_path):
    text = """
pub struct Log<R>(R);
impl<R: std::io::Read> Log<R> {
    pub fn new(reader: R) -> Self { Log(reader) }
    pub fn lines(&mut self) -> usize { 0 }
}
pub struct Table(usize);
impl Table {
    pub fn load(path: &str) -> Option<Self> { None }
    pub fn width(&self) -> usize { 0 }
}
pub struct Counter;
impl Counter { pub unsafe fn count(self, path: &str) {} }
"""
    written(tmp_path, {"code.rs": text})
    assert calls(glue(tmp_path, "code.rs")) == [
        "::iogauge_glue::made!(super::Log::new(given.file())), object.lines()",
        "super::Table::load(given.text())",
        "super::Counter, unsafe { object.count(given.text())",
    ]
    (asked,) = calls(glue(tmp_path, "code.rs", "Table::width"))
    assert asked == "::iogauge_glue::some(super::Table::load(given.text())), object.width()"


def test_what_is_not_compiled_here_is_not_found(tmp_path):
    text = """
#[cfg(windows)] pub fn f(path: &str) {}
#[cfg(not(windows))] pub fn f(path: &str) {}
#[cfg(test)] mod tests { pub fn g(path: &str) {} }
#[test] fn h() {}
#[cfg(target_has_atomic = "64")] pub fn i(path: &str) {}
"""
    written(tmp_path, {"code.rs": text})
    made = glue(tmp_path, "code.rs")
    assert calls(made) == ["super::f(given.text())", "super::i(given.text())"]
    assert '#[cfg(target_has_atomic = "64")]' in made.verbatim["own/iogauge_ways_0.rs"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("unix", True),
        ('target_os = "macos"', False),
        ('feature = "fast"', True),
        ('all(unix, not(feature = "slow"))', True),
        ('any(windows, target_pointer_width = "64")', None),
        ('all(windows, target_pointer_width = "64")', False),
    ],
)
def test_conditions_hold_or_do_not_or_are_not_known(condition, holds):
    assert source.is_on(condition, frozenset({"fast"})) is holds


def test_uses_bring_names():
    text = "std::{fs::{self, File as F}, io::prelude::*, path::Path}"
    assert dict(types.imported(text)) == {
        "fs": "std::fs",
        "F": "std::fs::File",
        "Path": "std::path::Path",
    }


def test_glue_stands_in_the_module_of_a_function_and_the_main_of_the_user_steps_aside(tmp_path):
    text = "mod a { fn f(path: &str) {} }\nfn main() { }"
    written(tmp_path, {"code.rs": text})
    made = glue(tmp_path, "code.rs").verbatim["own/code.rs"]
    first, rest = made.split("\n", 1)
    brought = 'include!(concat!(env!("CARGO_MANIFEST_DIR"), "/iogauge_ways_0.rs"));'
    assert (
        first
        == f"mod a {{ fn f(path: &str) {{}}  mod iogauge_ways_0 {{ use super::*; {brought} }} }}"
    )
    assert rest.startswith(
        "fn iogauge_main_of_the_user() { }\nextern crate iogauge_glue;\nfn main()"
    )


PACKAGE = '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\n'


def test_a_member_of_a_workspace_inherits_and_finds_others_where_they_lie(tmp_path):
    top = """
[workspace]
members = ["crates/*"]
resolver = "2"
[workspace.package]
edition = "2018"
[workspace.dependencies]
other = { path = "crates/other", features = ["a"] }
[patch.crates-io]
log = { path = "vendored/log" }
"""
    mine = """
[package]
name = "mine"
version = "0.1.0"
edition.workspace = true
[dependencies]
other = { workspace = true, features = ["b"] }
[features]
default = ["fast"]
fast = []
"""
    written(
        tmp_path,
        {
            "Cargo.toml": top,
            "Cargo.lock": "",
            "crates/mine/Cargo.toml": mine,
            "crates/mine/src/lib.rs": "mod deep;\npub use deep::f;\n",
            "crates/mine/src/deep.rs": "pub fn f(path: &str) {}\npub fn g(path: &str) {}\n",
            "crates/mine/data.bin": "x",
            "crates/mine/target/made.rs": "",
            "crates/other/Cargo.toml": PACKAGE.replace('"x"', '"other"'),
            "crates/other/src/lib.rs": "",
        },
    )
    made = glue(tmp_path, "crates/mine")
    table = tomllib.loads(made.texts["own/crates/mine/Cargo.toml"])
    assert table["package"]["edition"] == "2018" and table["workspace"]["resolver"] == "2"
    other = table["dependencies"]["other"]
    assert other["features"] == ["a", "b"]
    assert made.values[other["path"].strip("{}")] == str(tmp_path / "crates" / "other")
    assert "path" in table["patch"]["crates-io"]["log"]
    assert calls(made) == ["super::f(given.text())"]  # `g` is seen by nobody else
    places = {place for place, _ in made.copies}
    assert places == {"own/crates/mine/Cargo.lock", "own/crates/mine/data.bin"} and not made.links
    names = {"needed/other/Cargo.toml", "needed/other/src/lib.rs"}
    assert {name for name, _ in made.reads} == names
    (command,) = made.commands
    assert "mine=" in command and (state := command[-1]).startswith("other=")
    other = tmp_path / "crates" / "other" / "src" / "lib.rs"
    other.write_text("// other\n")
    os.utime(other, (0, 0))  # older than what was built of it
    (command,) = glue(tmp_path, "crates/mine").commands
    assert command[-1].startswith("other=") and command[-1] != state


def test_of_large_files_those_that_are_compiled_in_are_read_and_others_are_told_by_their_looks(
    tmp_path,
):
    code = 'const A: &[u8] = include_bytes!("table.bin");\npub fn f(path: &str) {}\n'
    written(tmp_path, {"Cargo.toml": PACKAGE, "src/lib.rs": code})
    for name in ("src/table.bin", "large.bin"):
        (tmp_path / name).write_bytes(bytes((1 << 20) + 1))
    made = glue(tmp_path)
    assert [*made.links] == ["own/large.bin", "own/src/table.bin"]
    assert [name for name, _ in made.reads] == ["own/src/table.bin"]
    assert made.verbatim["large.txt"].startswith("own/large.bin 1048577 ")
    os.utime(tmp_path / "large.bin", (0, 0))
    assert glue(tmp_path).verbatim["large.txt"] == "own/large.bin 1048577 0\n"


def test_what_is_no_ordinary_file_is_left_out_and_what_cannot_be_read_is_told(tmp_path):
    written(tmp_path, {"Cargo.toml": PACKAGE, "src/lib.rs": "pub fn f(path: &str) {}\n"})
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe")
    assert [place for place, _ in glue(tmp_path).copies] == []
    (tmp_path / "Cargo.toml").write_bytes(b'[package]\nname = "\xff"\n')
    with pytest.raises(Wrong, match=r"Cargo.toml: not TOML: "):
        glue(tmp_path)
    (tmp_path / "Cargo.toml").write_text('[package]\nversion = "1.0.0"\n')
    with pytest.raises(Wrong, match=r"Cargo.toml: its package has no name that cargo takes"):
        glue(tmp_path)


def test_a_call_that_does_not_compile_has_a_line_that_stands_for_it(tmp_path):
    text = "mod a { pub fn f(path: &str) {} }\npub fn g(path: &str) {}\n#[cfg(any(x, unix))] pub fn h(path: &str) {}"
    written(tmp_path, {"code.rs": text.replace("mod", "pub mod")})
    made = glue(tmp_path, "code.rs")
    assert [*made.otherwise] == ["own/iogauge_ways_0.rs", "own/iogauge_ways_1.rs"]
    for place, lines in made.otherwise.items():
        calls = made.verbatim[place].splitlines()
        assert [*lines] == [*range(1, len(calls) + 1)]
        for number, other in lines.items():
            begin = other.partition("without {why} }")[0]
            assert begin.startswith("::iogauge_glue::way! { ") and calls[number - 1].startswith(
                begin
            )


def test_a_program_beside_a_library_has_it_still(tmp_path):
    files = {
        "Cargo.toml": PACKAGE,
        "src/lib.rs": "pub fn number(line: &str) -> u8 { 0 }\n",
        "src/main.rs": "fn count(path: &str) -> u8 { x::number(path) }\nfn main() {}\n",
    }
    written(tmp_path, files)
    made = glue(tmp_path)
    table = tomllib.loads(made.texts["own/Cargo.toml"])
    assert table["lib"]["path"] == "src/lib.rs" and table["bin"][0]["path"] == "src/main.rs"
    assert calls(made) == ["super::count(given.text())"]
    assert "lib" not in tomllib.loads(glue(tmp_path, "src/lib.rs").texts["own/Cargo.toml"])


def test_several_packages_with_functions_are_told(tmp_path):
    written(tmp_path, {"Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n'})
    for name in "ab":
        code = {"Cargo.toml": PACKAGE.replace("x", name), "src/lib.rs": "pub fn f(path: &str) {}"}
        written(tmp_path / name, code)
    with pytest.raises(Wrong, match=r"several packages have functions to measure; .*/a, .*/b$"):
        glue(tmp_path)


def test_a_vendor_folder_is_taken_where_it_lies(tmp_path):
    config = '[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "vendor"\n'
    code = "pub fn f(path: &str) {}"
    written(tmp_path, {"Cargo.toml": PACKAGE, "src/lib.rs": code, ".cargo/config.toml": config})
    made = glue(tmp_path)
    table = tomllib.loads(made.texts["own/.cargo/config.toml"])["source"]
    assert table["crates-io"] == {"replace-with": "here"}
    assert made.values[table["here"]["directory"].strip("{}")] == str(tmp_path / "vendor")


def test_a_manifest_that_is_no_toml_is_told(tmp_path):
    written(tmp_path, {"Cargo.toml": "[package\n", "src/lib.rs": ""})
    with pytest.raises(Wrong, match=r"Cargo.toml: not TOML: "):
        cargo.package_of(tmp_path)


@pytest.mark.parametrize(
    ("returns", "call"),
    [
        ("Option<String>", "::core::iter::from_fn(|| object.next())"),
        ("io::Result<Option<u64>>", "::core::iter::from_fn(|| object.next().transpose())"),
        ("Option<&str>", "object.next()"),
        ("usize", "object.next()"),
    ],
)
def test_what_gives_one_thing_after_another_is_called_until_it_ends(tmp_path, returns, call):
    text = f"""pub struct Log;
impl Log {{
    pub fn open(path: &str) -> Self {{ Log }}
    pub fn next(&mut self) -> {returns} {{ todo!() }}
}}
"""
    written(tmp_path, {"a.rs": text})
    (made,) = calls(glue(tmp_path, "a.rs"))
    assert made.endswith(f", {call}")


def test_a_folder_of_files_without_a_manifest_has_one_to_measure(tmp_path):
    text = "pub fn f(path: &str) {}\n"
    written(tmp_path, {"one/a.rs": f"pub mod b;\n{text}", "one/b.rs": "pub fn g(path: &str) {}\n"})
    assert len(calls(glue(tmp_path, "one"))) == 2
    written(tmp_path, {"two/a.rs": text, "two/b.rs": text})
    with pytest.raises(Wrong, match=r"several files .*give one of them: two/a\.rs, two/b\.rs"):
        glue(tmp_path, "two")


def test_a_crate_of_macros_is_told(tmp_path):
    manifest = '[package]\nname = "pm"\nversion = "0.1.0"\n[lib]\nproc-macro = true\n'
    written(tmp_path, {"Cargo.toml": manifest, "src/lib.rs": "fn f(path: &str) {}\n"})
    with pytest.raises(Wrong, match="pm is a proc-macro crate, which cannot be measured"):
        glue(tmp_path)


def test_a_reference_to_what_needs_no_size_is_given_as_it_is(tmp_path):
    text = "pub fn f<P: AsRef<Path> + ?Sized>(p: &P) {}\npub fn g<P: AsRef<Path>>(p: &P) {}\n"
    written(tmp_path, {"a.rs": f"use std::path::Path;\n{text}"})
    assert calls(glue(tmp_path, "a.rs")) == ["super::f(given.path())", "super::g(&given.path())"]


def test_what_a_macro_writes_is_said_not_to_be_seen(tmp_path):
    text = "macro_rules! counter { ($n:ident) => { pub fn $n(path: &str) {} } }\ncounter!(count_errors);\n"
    written(tmp_path, {"a.rs": text})
    for function in ("count_errors", ""):
        with pytest.raises(Wrong, match="functions that a macro writes are not seen"):
            glue(tmp_path, "a.rs", function)
