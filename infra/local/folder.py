"""The emulator's folder: one process at a time, room on its disk, and a mark of how the last process ended."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shutil
import sys

# Below this the disk counts as full: snapshots and S3 objects need room beside the log.
RESERVE = 64 * 1024 * 1024


class Refused(Exception):
    """The local stack cannot start here; the text says why in one sentence."""


class Folder:
    """The emulator's folder, which one process uses at a time."""

    def __init__(self, path: pathlib.Path):
        self.path, self.lock = path, path / "lock"

    def take(self) -> bool:
        """Takes the folder until this process ends; returns whether the one before stopped uncleanly."""
        self._descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = self.lock.read_text().strip() or "unknown"
            raise Refused(f"another local stack (process {holder}) uses `{self.path}`") from None
        unclean = bool(self.lock.read_text().strip())
        self._write(str(os.getpid()))
        return unclean

    def leave(self) -> None:
        """Marks the stop as clean."""
        self._write("")

    def put_back(self, unclean: bool) -> None:
        """Leaves the mark as it was found: this start came to nothing."""
        if not unclean:
            self.leave()

    def free(self) -> int:
        """How many bytes can still be written."""
        return shutil.disk_usage(self.path).free

    def require_room(self, more: int = 0) -> None:
        """Raises `OSError` when the disk is nearly full."""
        if self.free() < RESERVE + more:
            raise OSError(f"the disk of `{self.path}` is nearly full: {self.free() >> 20} MB left")

    def _write(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)


def say(sentence: str) -> None:
    """One line in the emulator's log, unless the disk is too full for that as well."""
    with contextlib.suppress(OSError):
        print(f"countersign: {sentence}", file=sys.stderr, flush=True)


def fail(sentence: str) -> None:
    """Ends the start; the last line of the log is what `countersign up` shows."""
    print(sentence, file=sys.stderr, flush=True)
    os._exit(4)
