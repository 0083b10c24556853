"""`iogauge fleet prepare`: a program called `ssh` carries out on this machine what it is given."""

import sys

import pytest

from iogauge import __version__
from iogauge.commands import fleet_prepare

SSH = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do [ "$1" = -o ] && shift; shift; done
case "$1" in gone) echo "ssh: connect to host gone port 22: No route to host" >&2; exit 255;; esac
cd "$HOSTS/$1" && HOME=$PWD PATH="$PWD/bin:$PATH" exec sh -c "$2"
"""
# Stands for a Python with its venv: what it is asked to install it writes down.
PYTHON = """\
#!/bin/sh
case "$*" in
-) cat >probe ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*) echo "$*" >>installed ;;
esac
"""
OLD = "#!/bin/sh\nprintf 'it is Python 3.9 on x86_64' >&2; exit 3\n"
NO_VENV = f"""#!/bin/sh
echo "import sys; sys.modules['ensurepip'] = None; exec(sys.stdin.read())" >code
exec {sys.executable} -c "$(cat code)"
"""
ON = ["--on", "tcp://127.0.0.1:8786"]


@pytest.fixture
def hosts(tmp_path, monkeypatch):
    """`hosts("web-1", python=…)` makes one with such a Python; `None` is one without any."""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "ssh", SSH)
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / f"iogauge-{__version__}-py3-none-any.whl").touch()
    for name in ("sh", "tar", "mkdir", "rm", "cat", "chmod", "cp", "grep", "nohup", "sleep"):
        (tmp_path / "bin" / name).symlink_to(which(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOSTS", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def made(name, python=PYTHON, **programs):
        folder = tmp_path / name
        (folder / "bin").mkdir(parents=True)
        for each, text in {"python3": python, **programs}.items():
            if text is not None:
                program(folder / "bin" / each, text)
        return folder

    return made


def which(name):
    import shutil

    found = shutil.which(name)
    assert found
    return found


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def said(done, name):
    (line,) = [
        each for each in done.stderr.splitlines() if each.startswith(f"{name} (") and ": " in each
    ]
    return line


def prepare(iogauge, *words):
    return iogauge("fleet", "prepare", *words, *ON, "--wheels", "wheels", "--ssh")


def test_each_host_that_fails_says_what_to_do_and_the_others_go_on(hosts, iogauge):
    folder = hosts(
        "good", systemctl="#!/bin/sh\n", loginctl="#!/bin/sh\n", id="#!/bin/sh\necho me\n"
    )
    hosts("old", OLD)
    hosts("bare", None)
    hosts("lean", NO_VENV)
    names = ["gone", "old", "bare", "lean", "good"]
    done = prepare(iogauge, *(f"{each}={each}" for each in names))
    assert done.returncode == 3, done.stderr
    assert "No route to host; have this work: ssh" in said(done, "gone")
    assert f"it is Python 3.9 on x86_64; name Python {fleet_prepare._OURS}" in said(done, "old")
    assert "not found; install Python" in said(done, "bare")
    assert "ensurepip" in said(done, "lean")
    assert "install its venv module there" in said(done, "lean")
    assert said(done, "good").endswith("prepared; systemd starts its worker")
    assert done.stderr.splitlines()[-1] == "not prepared: gone, old, bare, lean"
    assert f"iogauge[fleet]=={__version__}" in (folder / "installed").read_text()
    unit = folder / ".config/systemd/user/iogauge-fleet-good.service"
    assert "ExecStart=%h/iogauge-fleet/good/bin/iogauge fleet worker" in unit.read_text()


def test_nothing_is_replaced_under_what_measures(hosts, iogauge):
    folder = hosts("web-1")
    own = folder / "iogauge-fleet" / "web-1" / "bin"
    own.mkdir(parents=True)
    program(own / "python", "#!/bin/sh\necho fleet-7\n")
    done = prepare(iogauge, "web-1=web-1", "--unit", "loop")
    assert done.returncode == 3
    wait = "prepare it when that is done, or end that with iogauge fleet stop"
    assert said(done, "web-1") == f"web-1 (web-1): fleet-7 is carried out there; {wait}"
    assert not (folder / "installed").exists()
    assert not (own.parent / "wheels").exists()


def test_without_ssh_or_wheels_nothing_begins(hosts, iogauge, tmp_path):
    hosts("web-1")
    (tmp_path / "bin" / "ssh").unlink()
    done = prepare(iogauge, "web-1=web-1")
    assert done.returncode == 3
    assert said(done, "web-1") == "web-1 (web-1): no ssh here; install it"
    done = iogauge("fleet", "prepare", "web-1=web-1", *ON, "--wheel", "none.whl", "--ssh")
    assert done.returncode == 2
    assert "no such file" in done.stderr


def test_wheels_that_cannot_be_fetched_end_it(hosts, iogauge, tmp_path, monkeypatch):
    folder = hosts("web-1")
    monkeypatch.setattr(fleet_prepare.sys, "executable", str(tmp_path / "python"))
    program(tmp_path / "python", "#!/bin/sh\necho 'ERROR: No matching distribution' >&2; exit 1\n")
    done = iogauge("fleet", "prepare", "web-1=web-1", *ON, "--wheels", "new", "--ssh")
    assert done.returncode == 3
    assert "No matching distribution; name a wheel of iogauge with --wheel" in done.stderr
    assert [each.name for each in folder.iterdir()] == ["bin"]


def test_what_lingers_no_longer_than_its_user_is_told(hosts, iogauge):
    fails = "#!/bin/sh\necho 'Access denied' >&2; exit 1\n"
    hosts("web-1", systemctl="#!/bin/sh\n", loginctl=fails, id="#!/bin/sh\necho me\n")
    done = prepare(iogauge, "web-1=web-1")
    assert done.returncode == 3
    assert "Access denied; have its units outlive a log-out" in said(done, "web-1")


def test_an_option_of_ssh_comes_before_ours(hosts, iogauge):
    done = iogauge(
        "fleet",
        "prepare",
        "web-1=me@web-1",
        *ON,
        "--ssh-option=-p2222",
        "--ssh-option=-oBatchMode=no",
    )
    assert done.returncode == 0
    assert "ssh -p2222 -oBatchMode=no -o BatchMode=yes" in done.stdout
