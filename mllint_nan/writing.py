"""Write a file back whole or not at all, and only if it has not changed since it was read."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile


class WriteRefused(Exception):
    """Writing would destroy something; the message says what, in one line."""


def write_atomically(path: str, data: bytes, *, original: bytes) -> None:
    """Replace the content of `path`, which must still be `original`; mode, owner and links stay.

    Raises `WriteRefused` or `OSError`; either way the file is as it was.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise WriteRefused("not a regular file; fix its source instead")
    real = os.path.realpath(path)
    if not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    descriptor, temporary = tempfile.mkstemp(prefix=".mllint-nan-", dir=os.path.dirname(real))
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        with open(real, "rb") as file:
            if file.read() != original:
                raise WriteRefused("changed on disk since it was read; run again")
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
