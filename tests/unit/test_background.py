"""What of a command runs in the background of a shell."""

from __future__ import annotations

import os
import shutil

import pytest

from iogauge.runners import commands, shell

FOREGROUND = [
    "cat {file} && true",
    "cat {file} || true; a | b |& c",
    "cat {file} 2>&1 | wc",
    "cat {file} >&2",
    "cat {file} > /dev/null 2>&1 3<&0",
    "nohup cat {file}",
    "timeout 9 nice -n 5 cat {file}",
    "env setsid -w cat {file}",
    "nice cat setsid {file}",
    "setsid -w cat {file}",
    "echo 'a & b' {file}",
    'echo "a & b" {file}',
    "echo a \\& b {file}",
    "cat {file} # & not this",
    "echo coproc setsid disown {file}",
    "echo $((1 & 2)) ${x:-&} {file}",
    "cat <<END {file}\na & b\nEND\ntrue",
    "cat <<'THE END' {file}\na & b\nTHE END\ntrue",
    "cat <<-END\n\ta &\n\tEND\ncat {file}",
    "cat <<<'a & b' {file}",
    "diff <(cat {file}) <(true)",
    "case {file} in a) x;& b) y;;& c) z;; esac",
    "awk '{ if (a && b) print }' {file}",
    "bash -c 'cat {file} &> /dev/null'",
    "",
    "echo '",
    'echo "$(',
]
BACKGROUND = {
    "cat {file} &": "&",
    "cat {file}&": "&",
    "cat {file} 2>&1&": "&",
    "cat {file} & wait": "&",
    "nohup cat {file} > log &": "&",
    "( cat {file} & )": "&",
    "{ cat {file} & }; true": "&",
    "cat {file} \\\n & ": "&",
    "cat <<A <<B\n&\nA\n&\nB\ncat {file} &": "&",
    "echo $(cat {file} &)": "&",
    'echo "$(cat {file} &)"': "&",
    "echo `cat {file} &`": "&",
    "cat <(cat {file} &)": "&",
    "no-such-program {file} &> /dev/null": "&>",
    "no-such-program {file} &>> log": "&>>",
    "setsid cat {file}": "setsid",
    "X=1 2>&1 > log setsid cat {file}": "setsid",
    "env -u HOME X=1 setsid cat {file}": "setsid",
    "exec nohup setsid cat {file}": "setsid",
    "timeout -s KILL 9s sh -c 'cat {file} &'": "&",
    "eval 'cat {file} &'": "&",
    "if true; then setsid cat {file}; fi": "setsid",
    "coproc cat {file}": "coproc",
    "cat {file}; disown": "disown",
    "bash -c 'cat {file} &'": "&",
    "/bin/dash -ec 'cat {file} &> log'": "&>",
    "sh -c 'cat {file} &> log'": "&>",
}


@pytest.mark.parametrize("text", FOREGROUND)
def test_what_a_shell_waits_for_is_in_the_foreground(text):
    assert shell.background(text, both=False) is None


@pytest.mark.parametrize("text", BACKGROUND)
def test_what_a_shell_does_not_wait_for_is_named(text):
    assert shell.background(text, both=False) == BACKGROUND[text]


def test_a_shell_may_take_both_outputs_at_once():
    assert shell.background("cat {file} &> log", both=True) is None
    assert shell.background("sh -c 'cat {file} &>> log'", both=True) is None
    assert shell.background("cat {file} &> log &", both=True) == "&"


def test_words_that_no_shell_runs():
    assert shell.of_words(["/usr/bin/setsid", "cat", "{file}"], both=True) == "setsid"
    assert shell.of_words(["setsid", "--wait", "cat", "{file}"], both=True) is None
    assert shell.of_words(["bash", "-lc", "cat {file} &"], both=True) == "&"
    assert shell.of_words(["env", "X=1", "nice", "sh", "-c", "cat {file} &"], both=True) == "&"
    assert shell.of_words(["cat", "&"], both=False) is None
    assert shell.of_words(["env"], both=False) is None


def test_a_line_says_what_runs_in_the_background_and_what_to_do(monkeypatch):
    def says(text, prepare=None):
        lines = [commands.Line(text, prepare=prepare)]
        (found,) = commands.strategies(commands.Given(lines, {}, {}))
        return commands.in_background(found)

    monkeypatch.setattr(commands, "_means_both", lambda: False)
    assert says("cat {file} 2>&1 | wc") is says("cat {file}") is None
    assert says("cat {file} &") == (
        "& puts work into the background, whose failure nobody sees; leave out &"
    )
    assert says("cat {file} &> log") == (
        "&> puts work into the background, whose failure nobody sees; &> is & and then > for this "
        "sh; write > FILE 2>&1"
    )
    assert says("cat {file}", "sleep 1 &") == (
        "--prepare: & puts work into the background, whose failure nobody sees; leave out &"
    )
    monkeypatch.setattr(commands, "_means_both", lambda: True)
    assert says("cat {file} &> log") is None


@pytest.mark.parametrize(("shell_of", "both"), [("dash", False), ("bash", True)])
def test_the_shell_of_this_machine_says_what_it_takes(tmp_path, monkeypatch, shell_of, both):
    found = shutil.which(shell_of)
    if found is None:
        pytest.skip(f"no {shell_of}")
    (tmp_path / "sh").symlink_to(found)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert commands._means_both.__wrapped__() is both
