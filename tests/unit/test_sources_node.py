"""Code in JavaScript and TypeScript: which files come along, where packages are, what a source says
of its functions, and whether Node can take it without a compiler.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iogauge.model.errors import UserError
from iogauge.runners import building, own
from iogauge.sources.functions import Parameter
from iogauge.sources.language import Given, Glue, NotMine
from iogauge.sources.languages import javascript, node, resolving

READS = "import fs from 'node:fs';\n"


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def glue(path: Path, function: str = "") -> Glue:
    return node.glue(Given(path, Path(), function, name=path.stem))


def told(made: Glue) -> dict:
    return json.loads(made.texts["own/given.json"])


def places(made: Glue) -> set[str]:
    return {place.removeprefix("own/p/") for place, _ in made.copies}


def test_what_a_module_names_comes_along_and_nothing_else(tmp_path):
    put(
        tmp_path,
        {
            "read.mjs": f"{READS}import './helper.mjs';\nconst m = await import(`./plug-${{1}}.mjs`);",
            "helper.mjs": "import { createRequire } from 'module'; import './deep/er.js';",
            "deep/er.js": "export { x } from '../data.json'",
            "data.json": "{}",
            "words.txt": "",
            "unrelated.mjs": "",
        },
    )
    assert places(glue(tmp_path / "read.mjs")) == {
        "code.mjs",
        "helper.mjs",
        "deep/er.js",
        "data.json",
    }


def test_what_is_loaded_by_a_name_that_is_put_together_comes_along(tmp_path):
    put(
        tmp_path,
        {
            "lib/read.js": "require(require('path').join(__dirname, '../plugins', name)); load('near')",
            "plugins/a.js": "",
            "plugins/node_modules/x.js": "",
            "plugins/.hidden/x.js": "",
            "lib/near.js": "",
            "package.json": "{}",
        },
    )
    found = places(glue(tmp_path / "lib/read.js"))
    assert found == {"lib/code.js", "plugins/a.js", "lib/near.js", "package.json"}


def test_a_file_that_others_import_keeps_its_name(tmp_path):
    put(tmp_path, {"a.mjs": "import './b.mjs'", "b.mjs": "import './a.mjs'"})
    assert places(glue(tmp_path / "a.mjs")) == {"a.mjs", "b.mjs"}


def test_node_modules_are_linked_wherever_they_are_and_known_by_what_tells_them(tmp_path):
    put(
        tmp_path,
        {
            "package-lock.json": "{}",
            "node_modules/.package-lock.json": "{}",
            "node_modules/some/index.js": "",
            "packages/reader/package.json": "{}",
            "packages/reader/node_modules/other/index.js": "",
            "packages/reader/src/read.mjs": "import 'some'; import 'other'",
        },
    )
    made = glue(tmp_path / "packages/reader/src/read.mjs")
    assert places(made) == {"src/code.mjs", "package.json"}
    assert made.links == {
        "own/p/node_modules": tmp_path / "packages/reader/node_modules",
        "own/node_modules": tmp_path / "node_modules",
    }
    names = {path.relative_to(tmp_path).as_posix() for _, path in made.reads}
    assert names == {
        "packages/reader/package.json",
        "package-lock.json",
        "node_modules/.package-lock.json",
    }
    assert made.root == tmp_path / "packages/reader"


def test_packages_of_folders_further_up_are_found_too(tmp_path):
    """Node looks into all; the build has room for two above the code."""
    put(
        tmp_path,
        {
            "node_modules/far/index.js": "",
            "a/node_modules/near/index.js": "",
            "a/b/read.mjs": "import 'far'",
        },
    )
    links = glue(tmp_path / "a/b/read.mjs").links
    assert links["own/node_modules"] == tmp_path / "a/node_modules"
    assert links["node_modules"] == tmp_path / "node_modules"


@pytest.mark.parametrize(
    ("package", "tsconfig", "text"),
    [
        ({"imports": {"#a": "#a"}}, {}, "#a"),
        ({"imports": {"#a": "#b", "#b": "#a"}}, {}, "#a"),
        ({"imports": ["#a"]}, {}, "#a"),
        ({}, {"compilerOptions": {"paths": {"x": 1}}}, "x"),
        ({}, {"extends": 1, "compilerOptions": 2}, "x"),
        ({}, {}, "data:text/javascript," + "x" * 300),
        ({}, {}, "/"),
    ],
)
def test_tables_and_names_that_mean_nothing_lead_nowhere(tmp_path, package, tsconfig, text):
    put(tmp_path, {"package.json": json.dumps(package), "tsconfig.json": json.dumps(tsconfig)})
    assert resolving.resolve(javascript.Import(text), tmp_path / "read.ts") is None


def test_a_package_beside_it_is_read_where_it_is(tmp_path):
    put(
        tmp_path,
        {
            "packages/text/package.json": '{"exports": {".": {"import": "./src/text.ts"}}}',
            "packages/text/src/text.ts": "import './more.js'",
            "packages/text/src/more.ts": "enum A {}",
            "packages/read/read.mjs": "import '@mine/text'",
            "node_modules/@mine/.keep": "",
        },
    )
    (tmp_path / "node_modules/@mine/text").symlink_to(tmp_path / "packages/text")
    made = glue(tmp_path / "packages/read/read.mjs")
    assert places(made) == {"code.mjs"}
    linked = {path.name for name, path in made.reads if name.startswith("linked/")}
    assert linked == {"text.ts", "more.ts"} and not told(made)["plain"]


@pytest.mark.parametrize(
    ("package", "files", "entry"),
    [
        ({"main": "lib"}, ["lib/index.js"], "lib/index.js"),
        ({"main": "./a"}, ["a.js", "index.js"], "a.js"),
        ({}, ["index.js"], "index.js"),
        ({}, ["src/index.ts"], "src/index.ts"),
        ({"exports": "./x.mjs", "main": "y.js"}, ["x.mjs", "y.js"], "x.mjs"),
        ({"exports": {"require": "./x.cjs", "default": "./x.js"}}, ["x.cjs", "x.js"], "x.js"),
        (
            {"exports": {".": [{"types": "./x.d.ts"}, {"import": {"node": "./n.js"}}]}},
            ["n.js", "x.d.ts"],
            "n.js",
        ),
        ({"module": "m.mjs", "main": "m.cjs"}, ["m.mjs", "m.cjs"], "m.mjs"),
        ({"main": "dist/main.js"}, ["src/main.ts", "src/index.ts"], "src/main.ts"),
        ({"main": "dist/x.js", "source": "lib/y.ts"}, ["lib/y.ts"], "lib/y.ts"),
        ({"types": "./read.ts"}, ["read.ts"], "read.ts"),
    ],
)
def test_the_module_of_a_folder_is_what_its_package_says(tmp_path, package, files, entry):
    put(tmp_path, {"package.json": json.dumps(package), **dict.fromkeys(files, "")})
    assert resolving.entry(tmp_path) == tmp_path / entry


def test_a_folder_without_a_module_is_told_and_may_be_of_another_language(tmp_path):
    put(tmp_path, {"package.json": '{"main": "dist/x.js"}'})
    with pytest.raises(NotMine, match=r"names dist/x.js, which is not there; build it first"):
        glue(tmp_path)
    with pytest.raises(UserError, match=r"--own .*: its package.json names dist/x.js"):
        own.runners([str(tmp_path)])
    put(tmp_path, {"package.json": "{}", "__init__.py": ""})
    (runner,) = own.runners([str(tmp_path)])
    assert runner.name == "python"


@pytest.mark.parametrize(
    ("text", "found", "exact"),
    [
        ("./text.ts", "text.ts", True),
        ("./text", "text.ts", False),
        ("./text.js", "text.ts", False),
        ("./folder", "folder/index.ts", False),
        ("#text", "text.ts", True),
        ("#lib/deep", "lib/deep.js", True),
        ("mine/deep", "lib/deep.js", True),
        ("@/deep", "lib/deep.js", False),
        ("lib/deep", "lib/deep.js", False),
        ("somewhere-else", None, True),
        ("node:fs", None, True),
    ],
)
def test_a_module_is_found_as_node_finds_it_or_as_tools_do(tmp_path, text, found, exact):
    put(
        tmp_path,
        {
            "package.json": json.dumps(
                {
                    "name": "mine",
                    "imports": {"#text": "./text.ts", "#lib/*": "./lib/*.js"},
                    "exports": {"./*": {"node": "./lib/*.js"}},
                }
            ),
            "tsconfig.json": '{ "extends": "./base", /* a, */ "compilerOptions": {"strict": true,} }',
            "base.json": '{ "compilerOptions": { "baseUrl": ".", "paths": {"@/*": ["lib/*"]} } } // b',
            "text.ts": "",
            "folder/index.ts": "",
            "lib/deep.js": "",
        },
    )
    place = resolving.resolve(javascript.Import(text), tmp_path / "read.ts")
    assert (place and (place.path, place.exact)) == (found and (tmp_path / found, exact))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("import type { A } from './types'; const a: A = 1;", True),
        ("import { type A, x } from './types.ts'", True),
        ("import { A } from './types.ts'", False),
        ("import { x } from './types'", False),
        ("declare enum A {} declare namespace B { const x: number }", True),
        ("enum A {}", False),
        ("namespace A { export const x = 1 }", False),
        ("class A { constructor(private x: string) {} }", False),
        ("class A { constructor(readonly x: string) {} }", False),
        ("@mine class A {}", False),
        ("import fs = require('fs')", False),
        ("import data from './data.json'", False),
        ("import data from './data.json' with { type: 'json' }", True),
    ],
)
def test_what_is_more_than_types_needs_a_compiler(tmp_path, text, plain):
    put(tmp_path, {"types.ts": "export type A = 1; export const x = 1;", "data.json": "{}"})
    put(tmp_path, {"read.ts": text})
    assert told(glue(tmp_path / "read.ts"))["plain"] is plain


@pytest.mark.parametrize(
    ("name", "typed", "form"),
    [
        ("path", "string", "text"),
        ("file", "fs.PathLike", "path"),
        ("x", "string | Buffer | URL", "path"),
        ("x", "Path", "text"),  # an alias
        ("x", "URL", "url"),
        ("x", "Buffer", "bytes"),
        ("x", "fs.ReadStream", "stream"),
        ("x", "NodeJS.ReadableStream", "stream"),
        ("x", "Readable | null", "stream"),
        ("x", "ReadableStream<Uint8Array>", "web"),
        ("x", "fsp.FileHandle", "handle"),
        ("x", "readline.Interface", "lines"),
        ("fd", "number", "descriptor"),
        ("count", "number", "other"),
        ("all", "string[]", "other"),
        ("done", "(error: Error | null) => void", "callback"),
        ("whenDone", "Done", "callback"),
        ("options", "Options", None),
        ("x", "", None),
    ],
)
def test_a_type_says_how_a_file_is_given(name, typed, form):
    types = {"Path": "string", "Done": "(error?: Error) => void", "Options": ""}
    assert node.form_of(Parameter(name, typed), types) == form


def test_a_source_tells_its_functions_with_their_parameters(tmp_path):
    text = """
    export function a(this: X, path: string, { b = 1 }: O = {}, c?: number, ...d: string[]) { function no() {} }
    export const b = async <T>(file: T) => 1, c = d => d;
    export class K { constructor(private p: string) {} static s(path: string) {} private q(path: string) {} }
    export default (path: URL) => 2;
    module.exports = { f(path) {}, g: function (path) {} };
    """
    put(tmp_path, {"read.ts": text})
    found = {
        each.name: [
            f"{one.name}{'?' if one.optional else ''}: {one.type}" for one in each.parameters
        ]
        for each in javascript.read(tmp_path / "read.ts").functions
    }
    assert found == {
        "a": ["path: string", "?: O", "c?: number", "?: string[]"],
        "b": ["file: T"],
        "c": ["d: "],
        "K": ["p: string"],
        "K.s": ["path: string"],
        "K.q": ["path: string"],
        "default": ["path: URL"],
        "f": ["path: "],
        "g": ["path: "],
    }
    assert told(glue(tmp_path / "read.ts"))["types"]["K.q"] is None


@pytest.mark.parametrize(
    ("name", "text", "asked", "appended"),
    [
        ("a.mjs", "function f(path) {} class K {}", "", "\nexport { f, K };\n"),
        ("a.js", "function f(path) {}", "", "\nmodule.exports.f ??= f;\n"),
        ("a.js", "function f(path) {}; exports.g = 1", "", ""),
        ("a.js", "function f(path) {}; exports.g = 1", "f", "\nmodule.exports.f ??= f;\n"),
        ("a.ts", "export const g = 1; const f = (path: string) => 1", "f", "\nexport { f };\n"),
        ("a.ts", "function f(path: string) {}; export { f as g }", "f", "\nexport { f };\n"),
        ("a.ts", "export function f(path: string) {}", "f", ""),
        ("a.ts", "export class K { m() {} }", "K.m", ""),
        ("a.ts", "import 'x'; { const f = (path: string) => 1 }", "", ""),
    ],
)
def test_functions_that_a_file_keeps_to_itself_are_exported_where_no_others_are(
    tmp_path, name, text, asked, appended
):
    put(tmp_path, {name: text})
    assert told(glue(tmp_path / name, asked))["appended"] == appended


def test_two_versions_lie_at_paths_of_equal_length_and_differ_in_identity(tmp_path):
    put(tmp_path, {"v1.ts": "export const f = 1", "version-2.ts": "export const f = 2"})
    runners = own.runners([f"old={tmp_path / 'v1.ts'}", f"new={tmp_path / 'version-2.ts'}"])
    assert [[str(place) for place, _ in building.own_files(each)] for each in runners] == [
        ["own/p/code.ts"]
    ] * 2
    assert len({building.identity(each, "1") for each in runners}) == 2
    assert all(each.file.build.builder == "each" and each.tries for each in runners)
    assert told(runners[0].glue)["name"] == ""


def test_the_identity_of_code_does_not_depend_on_where_it_is(tmp_path):
    put(tmp_path, {"a/read.ts": READS, "a/node_modules/x/package.json": "{}"})
    put(tmp_path, {"b/c/read.ts": READS, "b/c/node_modules/x/package.json": "{}"})
    put(tmp_path, {"a/package.json": "{}", "b/c/package.json": "{}"})
    one, other = own.runners(
        [f"{each}={tmp_path / at / 'read.ts'}" for each, at in (("x", "a"), ("y", "b/c"))]
    )
    assert building.identity(one, "1") == building.identity(other, "1")
    put(tmp_path, {"a/package.json": '{"type": "module"}'})
    assert building.identity(one, "1") != building.identity(other, "1")
