"""The user's code as files of a build."""

from iogauge.runners import building, own


def test_what_a_file_names_comes_along(tmp_path):
    for name, text in {
        "read_log.py": "import helper\nfrom parts.inner import x\n# not from data\n",
        "helper.py": "import deeper\n",
        "deeper.py": "",
        "parts/__init__.py": "",
        "parts/inner/__init__.py": "",
        "parts/notes.txt": "no module",
        "parts/.hidden/x.py": "",
        "unrelated.py": "",
        "data/old/copies/x.py": "",
        "helper.txt": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (runner,) = own.runners([str(tmp_path / "read_log.py")])
    names = sorted(str(place) for place, _ in building.own_files(runner))
    inside = ["parts/__init__.py", "parts/inner/__init__.py"]
    assert names == sorted(f"own/{each}" for each in ["code.py", "helper.py", "deeper.py", *inside])


def test_what_is_named_in_several_files_comes_once_and_the_code_itself_never_again(tmp_path):
    (tmp_path / "a.py").write_text("import b, a\n")
    (tmp_path / "b.py").write_text("import a, b\n")
    (runner,) = own.runners([str(tmp_path / "a.py")])
    assert sorted(str(place) for place, _ in building.own_files(runner)) == [
        "own/b.py",
        "own/code.py",
    ]
