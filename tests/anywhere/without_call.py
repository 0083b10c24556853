"""Start a program for which one system call does not exist, as on an older kernel.

`python without_call.py NUMBER PROGRAM ARGUMENT…`; the call returns ENOSYS in that program and in
all that it starts.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_ENOSYS = 38
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # instructions of the packet filter
_ALLOW, _FAIL_WITH = 0x7FFF0000, 0x00050000
_NUMBER_OF_CALL = 0  # offset in struct seccomp_data


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def forbid(number: int) -> None:
    """Take the call from this process. Raises OSError."""
    instructions = (
        (_LOAD_WORD, 0, 0, _NUMBER_OF_CALL),
        (_JUMP_IF_EQUAL, 0, 1, number),
        (_RETURN, 0, 0, _FAIL_WITH | _ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *each) for each in instructions)
    )
    program = _Program(len(instructions), ctypes.cast(code, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    _do(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _do(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0))


def _do(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    forbid(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
