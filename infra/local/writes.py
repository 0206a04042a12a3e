"""The write log of the local stack: what was acknowledged is in a file before the answer leaves.

The log is a folder of numbered segments. A frame is the length of its text, the text's CRC-32, and the text: a JSON list
of changes that were made together. A process that is killed can leave one incomplete frame at the end of a segment; it
was never acknowledged and is dropped. Appending goes on in a new segment, so nothing follows an incomplete frame.

Frames are handed to the operating system, not forced to the disk: they survive the end of the process, not of the machine.
"""

from __future__ import annotations

import json
import os
import pathlib
import struct
import zlib
from typing import Iterator

HEADER = struct.Struct(">II")
SUFFIX = ".log"


class Damaged(Exception):
    """A frame in the middle of a segment is not what was written; a killed process does not leave that."""


def frame(changes: list) -> bytes:
    """Changes that were made together, as they are written."""
    text = json.dumps(changes, separators=(",", ":")).encode()
    return HEADER.pack(len(text), zlib.crc32(text)) + text


def frames(segment: pathlib.Path) -> Iterator[list]:
    """The complete frames of a segment, oldest first. Raises `Damaged` when one before the last is not intact."""
    data = segment.read_bytes()
    start = 0
    while start + HEADER.size <= len(data):
        length, checksum = HEADER.unpack_from(data, start)
        end = start + HEADER.size + length
        text = data[start + HEADER.size : end]
        if end > len(data):
            return
        if zlib.crc32(text) != checksum:
            if end == len(data):
                return
            raise Damaged(f"the write log `{segment}` is damaged at byte {start}")
        yield json.loads(text)
        start = end


class WriteLog:
    """Appends frames to the newest segment of a folder."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.number = 0
        self.size = 0
        self._descriptor = -1
        self._broken: OSError | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def segments(self) -> list[pathlib.Path]:
        """All segments, oldest first."""
        return sorted(self.folder.glob(f"*{SUFFIX}"), key=lambda path: int(path.stem))

    def replay(self, first: int = 0) -> Iterator[list]:
        """Every complete frame in the order in which they were written, of the segments from this number on."""
        # What is written from now on comes after what the state holds, also when the segments before are gone.
        self.number = max(self.number, first - 1)
        for segment in self.segments():
            if int(segment.stem) >= first:
                yield from frames(segment)

    def rotate(self) -> list[pathlib.Path]:
        """Starts a new segment and returns those before it."""
        before = self.segments()
        self.number = max([self.number, *(int(path.stem) for path in before)]) + 1
        path = self.folder / f"{self.number:08d}{SUFFIX}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self.size, self._broken = descriptor, 0, None
        return before

    def append(self, changes: list) -> None:
        """Writes one frame whole, or raises `OSError` and leaves the segment as it was."""
        if self._broken:
            raise self._broken
        rest = memoryview(frame(changes))
        end = self.size + len(rest)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self._take_back(error)
            raise
        self.size = end

    def _take_back(self, error: OSError) -> None:
        """Removes the part of a frame that was written: what follows it would be lost with it."""
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError:
            self._broken = error
