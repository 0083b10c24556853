"""Why a process that runs already cannot be watched."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from iogauge.commands import watching
from iogauge.host import proctree
from iogauge.model.errors import UserError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


def why(pid: int) -> str:
    given = SimpleNamespace(pid=pid, command=None, trace=False, verify=None, prepare=None, out=None)
    with pytest.raises(UserError) as raised:
        watching.watch(given)
    return str(raised.value)


def test_a_kernel_without_accounts_is_no_other_user(monkeypatch):
    monkeypatch.setattr(proctree, "did", lambda pid: None)
    assert "this kernel does not count" in why(os.getpid())


@pytest.mark.parametrize(
    ("ours", "says"), [(False, "belongs to another user"), (True, "it may do what you may not")]
)
def test_whose_account_is_kept_from_us(monkeypatch, ours, says):
    did = proctree.did
    monkeypatch.setattr(proctree, "did", lambda pid: did(pid) if pid == os.getpid() else None)
    monkeypatch.setattr(proctree, "is_ours", lambda pid: ours)
    assert says in why(os.getppid())


def test_who_has_ended_meanwhile_is_no_other_user(monkeypatch):
    state = proctree.state(os.getpid())
    states = [state, None]
    monkeypatch.setattr(proctree, "state", lambda pid: states.pop(0))
    monkeypatch.setattr(proctree, "did", lambda pid: None)
    monkeypatch.setattr(proctree, "has_accounts", lambda: True)
    assert "there is no such process" in why(os.getppid())
