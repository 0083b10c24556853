"""Code of the user's as it is in a commit: what `git:REVISION:PATH` names, what lies in its copy,
and that nothing is written into the repository.
"""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iogauge.model.errors import BuildFailed, UserError
from iogauge.runners import own, revisions, runtimes, untracked
from iogauge.runners.preparing import Missing
from tests.repositories import WHO, commit, everything, git, write

COUNT = "def count(path):\n    with open(path, 'rb') as file:\n        return len(file.read())\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder for a repository, which is the current one; and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    for fd in revisions._held.values():
        os.close(fd)
    revisions._held.clear()


def owned(*given, said=None):
    """The code as it is taken, with what is said of it."""
    more = own.More(say=(said if said is not None else []).append)
    return [each.own for each in own.runners(given, more=more)]


def refused(*given) -> str:
    with pytest.raises(UserError) as why:
        owned(*given)
    assert "\n" not in str(why.value) and str(revisions.folder()) not in str(why.value)
    return str(why.value)


def copies() -> list[Path]:
    return sorted(revisions.folder().iterdir())


def test_the_code_is_that_of_the_commit(here):
    commit(here, {"read.py": COUNT})
    (here / "read.py").write_text("new")
    for revision in ("HEAD", "main", git(here, "rev-parse", "--short", "HEAD"), "main~0"):
        (one,) = owned(f"git:{revision}:read.py:count")
        assert one.path.read_text() == COUNT and one.function == "count"
        assert one.given == f"--own git:{revision}:read.py:count"
    assert len(copies()) == 1


def test_nothing_is_written_into_the_repository(here):
    """Nor into its folder of git: not even a time changes, though the index is older than files."""
    files = {"read.py": COUNT, "package.json": "{}", "src/a.c": "int a;", ".gitignore": "made\n"}
    commit(here, files)
    commit(here, {"read.py": COUNT + "\n"}, "two")
    git(here, "repack", "-adq")
    write(here, {"new.py": COUNT, "made/x.py": COUNT, "node_modules/a/package.json": "{}"})
    (here / "src/a.c").touch()
    (here / "read.py").write_text(COUNT + "#\n")
    before = everything(here)
    owned("old=git:HEAD~1:read.py", "new=read.py")
    owned("old=git:main:read.py", "new=new.py")
    assert everything(here) == before


def test_hooks_and_monitors_of_the_user_are_not_run(here):
    commit(here, {"read.py": COUNT})
    for hook in ("post-checkout", "post-index-change", "fsmonitor"):
        write(here, {f".git/hooks/{hook}": "#!/bin/sh\ntouch ran\n"})
        (here / ".git/hooks" / hook).chmod(0o755)
    git(here, "config", "core.fsmonitor", ".git/hooks/fsmonitor")
    owned("old=git:HEAD:read.py", "new=read.py")
    assert not (here / "ran").exists() and not list(here.rglob("ran"))


def test_variables_that_git_sets_for_hooks_do_not_mislead(here, tmp_path, monkeypatch):
    commit(tmp_path / "other", {"other.py": COUNT})
    commit(here, {"read.py": COUNT})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/.git/index"))
    assert owned("git:HEAD:read.py")[0].path.read_text() == COUNT


def test_a_revision_may_have_colons(here):
    commit(here, {"read.py": COUNT}, "fix: this")
    commit(here, {"read.py": "other"}, "later")
    for revision in (":/fix: this", "HEAD^{/fix: this}", "HEAD^{/fix:}"):
        assert owned(f"old=git:{revision}:read.py")[0].path.read_text() == COUNT
        assert owned(f"git:{revision}:read.py:count")[0].function == "count"


def test_a_path_and_a_function_may_have_colons(here):
    commit(here, {"a:b.py": COUNT, "log.cpp": "int a;"})
    (one,) = owned("git:HEAD:a:b.py:count")
    assert one.path.name == "a:b.py" and one.function == "count"
    one = own._named("old=git:HEAD:log.cpp:Log::errors")
    assert (one.label, one.revision.path, one.revision.function) == (
        "old",
        "log.cpp",
        "Log::errors",
    )


def test_a_file_that_is_called_so_is_meant(here):
    commit(here, {"read.py": "committed"})
    write(here, {"git:HEAD:read.py": COUNT})
    (one,) = owned("git:HEAD:read.py")
    assert one.path == Path("git:HEAD:read.py") and not one.copied
    (one,) = owned("git:HEAD:read.py:count")
    assert one.function == "count" and not one.copied


def test_a_folder_called_git_does_not_hide_commits(here):
    commit(here, {"git/__init__.py": COUNT, "read.py": COUNT})
    assert owned("git:HEAD:read.py")[0].copied
    one = own._named("git:count")
    assert (one.path, one.function) == (Path("git"), "count")


def test_a_path_is_seen_from_the_current_folder_then_from_the_root(here, monkeypatch):
    commit(here, {"src/read.py": "in src", "read.py": "in the root", "other.py": "other"})
    monkeypatch.chdir(here / "src")
    assert owned("git:HEAD:read.py:f")[0].path.read_text() == "in src"
    assert owned("git:HEAD:../read.py:f")[0].path.read_text() == "in the root"
    assert owned("git:HEAD:other.py:f")[0].path.read_text() == "other"
    assert owned(f"git:HEAD:{here}/other.py:f")[0].path.read_text() == "other"
    assert "no ./other.py in HEAD" in refused("git:HEAD:./other.py")
    monkeypatch.chdir(here.parent)
    assert owned("git:HEAD:project/other.py:f")[0].path.read_text() == "other"


def test_both_states_lie_at_paths_of_equal_length(here):
    commit(here, {"pkg/__init__.py": "", "pkg/read.py": COUNT})
    write(here, {"pkg/read.py": COUNT + "\n", "pkg/new.py": ""})
    old, new = owned("old=git:HEAD:pkg/read.py", "new=pkg/read.py")
    assert len(str(old.path)) == len(str(new.path)) and old.path != new.path
    assert new.path.read_text() == COUNT + "\n" and new.path.with_name("new.py").exists()
    assert not old.path.with_name("new.py").exists()
    assert new.given == "--own new=pkg/read.py"


def test_the_state_of_the_working_tree_is_not_that_of_the_index(here):
    commit(here, {"read.py": COUNT, "gone.py": COUNT, ".gitignore": "*.log\n"})
    (here / "gone.py").unlink()
    write(here, {"read.py": "staged"})
    git(here, "add", "read.py")
    write(here, {"read.py": COUNT + "#", "a.log": "x", "large.bin": "x" * (5 << 20)})
    _, new = owned("old=git:HEAD:read.py", "new=read.py")
    assert new.path.read_text() == COUNT + "#"
    assert {each.name for each in new.path.parent.iterdir()} == {".git", ".gitignore", "read.py"}
    first = new.path
    write(here, {"read.py": COUNT + "##"})
    _, new = owned("old=git:HEAD:read.py", "new=read.py")
    assert new.path.read_text() == COUNT + "##" and new.path != first


def test_what_git_ignores_or_another_repository_has_is_measured_where_it_lies(here, tmp_path):
    commit(here, {"read.py": COUNT, ".gitignore": "made\n"})
    write(here, {"made/read.py": COUNT})
    write(tmp_path, {"elsewhere.py": COUNT})
    for path in (Path("made/read.py"), tmp_path / "elsewhere.py"):
        _, new = owned("old=git:HEAD:read.py", f"new={path}")
        assert new.path == path and not new.copied


def test_what_was_built_is_never_taken(here):
    commit(here, {"read.py": COUNT, "build/tracked.py": "", ".gitignore": "target\n"})
    write(here, {"target/x": "", "dist/x.py": "", "build/new.py": "", "src/dist/x.py": ""})
    for each in owned("old=git:HEAD:read.py", "new=read.py"):
        names = {path.name for path in each.path.parent.iterdir()}
        assert names == {".git", ".gitignore", "read.py", "build"}


def test_what_archives_leave_out_is_there(here):
    text = "hidden export-ignore\nstamp.py export-subst\n"
    commit(here, {"hidden/a.py": COUNT, "stamp.py": "# $Format:%H$\n", ".gitattributes": text})
    (one,) = owned("git:HEAD:hidden/a.py")
    assert one.path.read_text() == COUNT
    assert (one.path.parents[1] / "stamp.py").read_text() == "# $Format:%H$\n"


def test_attributes_are_those_of_the_commit(here):
    commit(here, {"read.py": COUNT, ".gitattributes": "*.py eol=crlf\n"})
    commit(here, {".gitattributes": "*.py eol=lf\n"}, "two")
    assert b"\r\n" in owned("git:HEAD~1:read.py")[0].path.read_bytes()
    assert b"\r\n" not in owned("git:HEAD:read.py")[0].path.read_bytes()


def test_programs_stay_programs(here):
    write(here, {"tool.sh": "#!/bin/sh\n", "read.py": COUNT})
    (here / "tool.sh").chmod(0o755)
    commit(here, {})
    for each in owned("old=git:HEAD:read.py", "new=read.py"):
        assert os.access(each.path.with_name("tool.sh"), os.X_OK)
        assert not os.access(each.path, os.X_OK)


def test_links_out_of_the_tree_are_left_out(here, tmp_path):
    write(tmp_path, {"secret.py": "secret"})
    commit(here, {"read.py": COUNT, "src/a.py": COUNT})
    for name, target in {
        "out.py": "../secret.py",
        "all": "..",
        "fixed.py": str(here / "read.py"),
        "in.py": "src/a.py",
    }.items():
        (here / name).symlink_to(target)
    commit(here, {}, "links")
    for given in ("git:HEAD:read.py", "new=read.py"):
        said = []
        one = owned("old=git:HEAD:read.py", given.replace("git:", "x=git:"), said=said)[-1]
        names = {each.name for each in one.path.parent.iterdir()}
        assert names == {".git", "read.py", "src", "in.py"}
        assert "it lacks 3 links (all, fixed.py, out.py) out of the repository" in said[-1]
    assert "out.py is a link out of the repository" in refused("git:HEAD:out.py")


def test_packages_come_from_the_working_tree_where_the_lock_is_the_same(here):
    files = {
        "a.js": "exports.a = (path) => path;",
        "package.json": "{}",
        ".gitignore": "node_modules",
    }
    commit(here, {**files, "package-lock.json": "1", "packages/b/i.js": "old"})
    write(here, {"node_modules/x/i.js": "x", "package.json": '{"version": "2"}'})
    write(here, {"node_modules/@me/y/i.js": "y", "node_modules/.package-lock.json": "{}"})
    (here / "node_modules/@me/b").symlink_to("../../packages/b")
    write(here, {"packages/b/i.js": "new"})
    said = []
    old, new = owned("old=git:HEAD:a.js", "new=a.js", said=said)
    for each, state in ((old, "old"), (new, "new")):
        modules = each.path.with_name("node_modules")
        assert (modules / "x").resolve() == here / "node_modules/x"
        assert (modules / "@me/y").resolve() == here / "node_modules/@me/y"
        assert (modules / "@me/b/i.js").read_text() == state  # a package of the same state
    assert said == []
    commit(here, {"package-lock.json": "2"}, "two")
    old, new = owned("old=git:HEAD~1:a.js", "new=a.js", said=said)
    assert not old.path.with_name("node_modules").exists()
    assert new.path.with_name("node_modules").exists()
    assert said == [
        "--own old=git:HEAD~1:a.js: it has another package-lock.json than the working tree, so its "
        "node_modules is missing; run `npm ci` in a worktree of it and name that path"
    ]


def test_where_no_lock_is_there_the_manifest_must_be_the_same(here):
    files = {
        "a.js": "exports.a = (path) => path;",
        "package.json": "{}",
        ".gitignore": "node_modules",
    }
    commit(here, files)
    write(here, {"node_modules/x/i.js": "x"})
    assert owned("git:HEAD:a.js")[0].path.with_name("node_modules").exists()
    write(here, {"package.json": '{"dependencies": {}}'})
    said = []
    assert not owned("git:HEAD:a.js", said=said)[0].path.with_name("node_modules").exists()
    assert "it has another package.json" in said[0]


def test_a_lock_of_what_is_installed_elsewhere_is_told(here):
    commit(here, {"read.py": COUNT, "pyproject.toml": "", "uv.lock": "1"})
    said = []
    owned("git:HEAD:read.py", said=said)
    assert said == []
    write(here, {"uv.lock": "2"})
    owned("git:HEAD:read.py", said=said)
    assert "it has another uv.lock than the working tree, and runs with the packages" in said[0]


def test_a_file_that_the_builder_wrote_is_copied_with_its_paths(here):
    commit(
        here, {"src/a.c": "long a(const char *path);", "CMakeLists.txt": "", ".gitignore": "build"}
    )
    flags = (
        f'[{{"directory": "{here}/build", "file": "{here}/src/a.c", "command": "cc -I{here} a"}}]'
    )
    write(here, {"build/compile_commands.json": flags, "build/a.o": ""})
    one = own._copied([own._named("git:HEAD:src/a.c")], own.More())[0]
    build = one.path.parents[1] / "build"
    assert [each.name for each in build.iterdir()] == ["compile_commands.json"]
    text = (build / "compile_commands.json").read_text()
    assert str(here) not in text and f'"{one.path}"' in text


def test_paths_of_others_stay_as_they_are():
    root, copy = Path("/src"), Path("/cache/abc/src")
    text = b'"/usr/src/lib/a.py" -I/src/include "/src/a.c" -L/src /src: x=/src,/srcs/b a/src/c'
    assert untracked._moved(text, root, copy) == (
        b'"/usr/src/lib/a.py" -I/cache/abc/src/include "/cache/abc/src/a.c" -L/cache/abc/src '
        b"/cache/abc/src: x=/cache/abc/src,/srcs/b a/src/c"
    )


def test_a_folder_in_the_place_of_a_file_and_a_link_in_that_of_a_folder(here, tmp_path):
    commit(here, {"read.py": COUNT, "d/x.py": "1", "f": "file"})
    for path in (here / "d/x.py", here / "f"):
        path.unlink()
    (here / "d").rmdir()
    write(tmp_path / "elsewhere", {"x.py": "2"})
    (here / "d").symlink_to("read.py")
    write(here, {"f/y.py": "3"})
    said = []
    _, new = owned("old=git:HEAD:read.py", "new=read.py", said=said)
    assert new.path.with_name("f").joinpath("y.py").read_text() == "3"
    assert new.path.with_name("d").is_symlink() and said == []


def test_a_copy_of_which_a_part_was_removed_is_made_again(here):
    commit(here, {"read.py": COUNT})
    (one,) = owned("git:HEAD:read.py")
    for fd in revisions._held.values():
        os.close(fd)
    revisions._held.clear()
    (one.copied.folder.parent / "missing.txt").unlink()
    (again,) = owned("git:HEAD:read.py")
    assert again.path.read_text() == COUNT


def test_where_a_file_system_has_no_locks_it_says_so(here, monkeypatch):
    commit(here, {"read.py": COUNT})

    def lock(*_, **__):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(revisions.kernel, "lock", lock)
    assert "No locks available" in refused("git:HEAD:read.py")


def test_large_files_come_from_the_working_tree_or_are_told(here):
    def pointer(text: str) -> str:
        digest = hashlib.sha256(text.encode()).hexdigest()
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(text)}\n"
        )

    commit(here, {"read.py": COUNT, "a.bin": pointer("large"), "b.bin": pointer("other")})
    commit(here, {".gitattributes": "*.bin filter=lfs\n"}, "tracked")
    for name in ("clean", "smudge", "process"):
        git(here, "config", f"filter.lfs.{name}", "touch ran; cat")
    git(here, "config", "filter.lfs.required", "true")
    write(here, {"a.bin": "large"})
    said = []
    (one,) = owned("git:HEAD:read.py", said=said)
    assert one.path.with_name("a.bin").read_text() == "large"
    assert "it lacks 1 file (b.bin) of Git LFS" in said[0]
    owned("git:HEAD:read.py", said=said)  # it is told each time
    assert len(said) == 2 and not list(here.parent.rglob("ran"))


def test_a_sub_module_comes_from_the_working_tree_at_the_same_commit(here, tmp_path):
    commit(tmp_path / "library", {"lib.py": "first"})
    commit(here, {"read.py": COUNT})
    git(here, "submodule", "add", "-q", str(tmp_path / "library"), "lib")
    commit(here, {}, "with it")
    before = everything(here)
    said = []
    for each in owned("old=git:HEAD:read.py", "new=read.py", said=said):
        assert each.path.with_name("lib").joinpath("lib.py").read_text() == "first"
    assert said == [] and everything(here) == before
    commit(here / "lib", {"lib.py": "second"})
    (one,) = owned("git:HEAD:read.py", said=said)
    assert not one.path.with_name("lib").joinpath("lib.py").exists()
    assert "it has another commit of the sub-module lib" in said[0]
    assert "lib is a sub-module" in refused("git:HEAD:lib")


def test_a_copy_that_is_there_is_not_made_again(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    (one,) = owned("git:HEAD:read.py")
    monkeypatch.setattr(revisions, "_fill", None)
    assert owned("git:HEAD:read.py")[0].path == one.path


def test_two_at_once_are_fine(here):
    commit(here, {f"f{number}.py": COUNT for number in range(200)})
    asked = "from iogauge.runners import own; print(own.runners(['git:HEAD:f1.py'])[0].own.path)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(_):
        return subprocess.run(
            [sys.executable, "-c", asked], capture_output=True, text=True, env=environment, cwd=here
        )

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, range(3)))
    assert [each.returncode for each in done] == [0] * 3, done
    (home,) = copies()
    assert {each.stdout.strip() for each in done} == {str(home / "project/f1.py")}


def test_a_kill_leaves_nothing_half(here):
    commit(here, {"read.py": COUNT})
    asked = (
        "import time; from iogauge.runners import own, repository\n"
        "repository.Repository.check_out = lambda *_: (print('now', flush=True), time.sleep(60))\n"
        "own.runners(['git:HEAD:read.py'])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", asked], stdout=subprocess.PIPE, env=environment, cwd=here
    )
    assert process.stdout.readline()
    owned("git:HEAD:read.py")
    assert len(copies()) == 2  # what another one makes stays
    process.send_signal(signal.SIGKILL)
    process.communicate()
    left = next(each for each in copies() if each.suffix == ".partial")
    os.utime(left, (time.time() - 60,) * 2)
    (one,) = owned("git:HEAD:read.py")
    assert one.path.read_text() == COUNT and len(copies()) == 1


def test_few_copies_are_kept_and_those_in_use(here, monkeypatch):
    monkeypatch.setattr(revisions, "KEPT", 2)
    for number in range(revisions.KEPT + 3):
        commit(here, {"read.py": COUNT + "#" * number})
    first, *_ = owned(f"git:HEAD~{revisions.KEPT + 2}:read.py")
    for number in reversed(range(revisions.KEPT + 2)):
        time.sleep(0.002)
        owned(f"git:HEAD~{number}:read.py")
        for home in [each for each in revisions._held if each != first.path.parents[1]]:
            os.close(revisions._held.pop(home))
    assert len(copies()) == revisions.KEPT + 1 and first.path.exists()
    assert revisions.held()[0] == revisions.KEPT + 1 and revisions.held()[1] > 0
    assert revisions.remove() > 0
    assert copies() == [first.path.parents[1]]


@pytest.mark.long
def test_clean_removes_copies_and_doctor_shows_them(here, iogauge):
    import json

    commit(here, {"read.py": COUNT})
    asked = "from iogauge.runners import own; own.runners(['git:HEAD:read.py'])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", asked], check=True, env=environment, cwd=here)
    shown = json.loads(iogauge("doctor", "--json").stdout)["revisions"]
    assert shown["copies"] == 1 and shown["bytes"] > 0
    assert shown["folder"] == str(revisions.folder())
    assert "1 state, " in iogauge("doctor").stdout
    iogauge("clean")
    assert json.loads(iogauge("doctor", "--json").stdout)["revisions"]["copies"] == 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("git:HEAD", "write git:REVISION:PATH"),
        ("git:", "write git:REVISION:PATH"),
        ("old=git:nothing:read.py", "--own old=git:nothing:read.py: no commit nothing in this"),
        ("git:featre:read.py", "no commit featre in this repository; did you mean feature?"),
        ("git:--all:read.py", "no commit --all in this repository"),
        ("git:HEAD:lost.py", "no lost.py in HEAD, nor in the working tree"),
        ("git:HEAD:new.py", "no new.py in HEAD; it is in the working tree: name it without git:"),
        ("git:HEAD:new.py:count", "no new.py in HEAD; it is in the working tree"),
        ("git:HEAD:../read.py", "no ../read.py in HEAD"),
        ("git:HEAD:/etc/passwd", "run it in the one that has the commit"),
        ("git:HEAD:notes.txt", "no language takes this"),
        ("git:HEAD:folder", "no code in this folder"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(here, given, says):
    commit(here, {"read.py": COUNT, "notes.txt": "", "folder/x.txt": ""})
    git(here, "branch", "feature")
    write(here, {"new.py": COUNT})
    if "passwd" in given:
        os.chdir(here.parent)
    assert says in refused(given)


def test_paths_of_a_copy_are_told_as_the_user_writes_them(here):
    commit(here, {"a.py": COUNT, "b.py": COUNT})
    assert "give a file or package of it: git:HEAD:a.py or git:HEAD:b.py" in refused("git:HEAD:.")
    write(here, {"c.py": COUNT})
    why = refused("old=git:HEAD:a.py", "new=.")
    assert "give a file or package of it: a.py or b.py" in why


def test_no_repository(here):
    write(here, {"read.py": COUNT})
    assert "the current folder is in no repository of git" in refused("git:HEAD:read.py")


def test_a_repository_without_a_commit(here):
    git(here, "init", "-q")
    assert "no commit HEAD in this repository" in refused("git:HEAD:read.py")


def test_no_git(here, monkeypatch):
    monkeypatch.setenv("PATH", str(here))
    assert "there is no git on the PATH" in refused("git:HEAD:read.py")


def test_a_bare_repository(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    git(here, "clone", "-q", "--bare", ".", "../bare")
    monkeypatch.chdir(here.parent / "bare")
    assert "a bare repository, without a working tree" in refused("git:HEAD:read.py")
    monkeypatch.chdir(here / ".git")
    assert "the folder of git itself, without a working tree" in refused("git:HEAD:read.py")


def test_a_shallow_clone(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    commit(here, {}, "two")
    git(here, "clone", "-q", "--depth", "1", f"file://{here}", "../shallow")
    monkeypatch.chdir(here.parent / "shallow")
    why = refused("git:HEAD~1:read.py")
    assert "run git fetch --unshallow (in CI: check out with fetch-depth: 0)" in why


def test_a_repository_of_another_user(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    why = refused("git:HEAD:read.py")
    assert f"git config --global --add safe.directory {here}" in why


def test_a_hash_that_may_be_several(here):
    """Two blobs whose hashes begin alike would do as well: a commit is not among them."""
    commit(here, {"read.py": COUNT})
    assert "no commit 0000 in this repository" in refused("git:0000:read.py")


def test_a_linked_worktree_has_its_own_state(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    git(here, "worktree", "add", "-q", "../second")
    monkeypatch.chdir(here.parent / "second")
    write(Path.cwd(), {"read.py": "second"})
    old, new = owned("old=git:HEAD:read.py:f", "new=read.py:f")
    assert (old.path.read_text(), new.path.read_text()) == (COUNT, "second")


def test_the_versions_that_cannot_be_built_are_named(here):
    write(here, {"a.py": COUNT, "b.py": COUNT})
    pairs = [
        (each, Missing("python", (), "why", broken=True))
        for each in own.runners(["x=a.py", "y=b.py"])
    ]
    with pytest.raises(BuildFailed, match="--own x=a.py: why") as why:
        runtimes._own_must_work(pairs)
    assert (why.value.label, why.value.labels) == ("x", ("x", "y"))


def test_a_version_that_cannot_be_measured_as_it_stands_is_named(here):
    """Where the other one can: a function that is gone is no slip on the command line."""
    commit(here, {"a.c": "long count(const char *path) { return 0; }"})
    write(here, {"a.c": "long other(const char *path) { return 0; }"})
    with pytest.raises(BuildFailed, match="--own new=a.c:count: no function count") as why:
        owned("old=git:HEAD:a.c:count", "new=a.c:count")
    assert why.value.labels == ("new",)
    for given in ("new=a.c:conut", "new=none.c:count"):
        with pytest.raises(UserError) as slip:
            owned("old=git:HEAD:a.c:count", given)
        assert not isinstance(slip.value, BuildFailed)
    with pytest.raises(UserError) as both:
        owned("old=git:HEAD:a.c:lost", "new=a.c:lost")
    assert not isinstance(both.value, BuildFailed)


def test_a_partial_clone_fetches_nothing(here, monkeypatch):
    commit(here, {"read.py": COUNT})
    commit(here, {"read.py": COUNT + "#"}, "two")
    git(here, "config", "uploadpack.allowFilter", "true")
    git(here, "clone", "-q", "--filter=blob:none", f"file://{here}", "../partial")
    monkeypatch.chdir(here.parent / "partial")
    before = everything(Path.cwd())
    assert "git has not all files of HEAD~1 here" in refused("git:HEAD~1:read.py")
    assert everything(Path.cwd()) == before
    assert owned("git:HEAD:read.py")[0].path.read_text() == COUNT + "#"


def test_nobody_is_named_in_a_copy(here):
    """The copies lie below a hash: no name of a person and no message of a commit is in a path."""
    commit(here, {"read.py": COUNT}, "a message")
    (one,) = owned("git:HEAD:read.py")
    assert WHO["GIT_AUTHOR_EMAIL"] not in str(one.path) and "message" not in str(one.path)
