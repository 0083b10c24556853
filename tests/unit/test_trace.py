"""What is counted in the lines of strace."""

from __future__ import annotations

from iogauge.measuring.trace import Calls, counted

PLAIN = """\
""..., 65536) = 210
100 openat(AT_FDCWD</root>, ""..., O_RDONLY|O_CLOEXEC) = 4</data/file>
100 read(4</data/file>, ""..., 8192) = 8192
100 read(4</data/file>, ""..., 8192) = 4000
100 read(4</data/file>, "", 8192) = 0
100 close(4</data/file>) = 0
100 write(3<pipe:[77]>, ""..., 90) = 90
100 read(0<pipe:[76]>,  <unfinished ...>
""".splitlines()


def test_calls_and_their_bytes_without_the_channel():
    assert counted(PLAIN) == (
        Calls("read", 3, 0, 12192),
        Calls("close", 1, 0, None),
        Calls("openat", 1, 0, None),
    )


def test_calls_of_threads_that_are_interrupted_by_one_another():
    lines = """\
101 <... read resumed>""..., 65536) = 210
101 pread64(5</data/file>,  <unfinished ...>
102 pread64(5</data/file>,  <unfinished ...>
101 <... pread64 resumed>""..., 4096, 0) = 4096
102 <... pread64 resumed>""..., 4096, 4096) = 100
102 futex(0x7f00, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>
101 read(0<pipe:[76]>,  <unfinished ...>
101 <... read resumed>""..., 65536) = 99
101 write(3<pipe:[77]>, ""..., 90) = 90
""".splitlines()
    assert counted(lines) == (Calls("pread64", 2, 0, 4196),), (
        "what did not end, or began before the request, is not counted"
    )


def test_failures_signals_and_exits():
    lines = """\
100 statx(AT_FDCWD</root>, ""..., AT_STATX_SYNC_AS_STAT, STATX_ALL, 0x7ffe) = -1 ENOENT (No such file or directory)
100 mmap(NULL, 8192, PROT_READ, MAP_SHARED, 4</data/file (deleted)>, 0) = 0x7f5c3a000000
100 --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} ---
100 restart_syscall(<... resuming interrupted read ...>) = ?
100 +++ exited with 0 +++
""".splitlines()
    assert counted(lines) == (
        Calls("mmap", 1, 0, None),
        Calls("restart_syscall", 1, 0, None),
        Calls("statx", 1, 1, None),
    )


def test_a_file_whose_name_looks_like_a_result():
    line = '100 read(4</data/a) = 7>, ""..., 8192) = 12'
    assert counted([line]) == (Calls("read", 1, 0, 12),)
