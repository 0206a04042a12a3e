"""Packs function binaries as Lambda code: `python pack.py DIST name=binary …`.

Each archive is `DIST/<name>.zip` with one file `bootstrap`, byte for byte the same for the same binary, so that
CloudFormation sees a change only where there is one. As in a release build, symbols are stripped where `strip` is
installed: a stack keeps four copies of its code. A stamp beside the archive (size and time of the binary) spares
packing again what has not changed; stacks of one project share DIST and take turns. Prints the names packed.
"""

from __future__ import annotations

import concurrent.futures
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile


def stamp_of(binary: pathlib.Path) -> str:
    """What tells one build of a binary from the next without reading it."""
    found = binary.stat()
    return f"{found.st_size} {found.st_mtime_ns} {binary}"


def stripped(binary: pathlib.Path, folder: str) -> bytes:
    """The binary's bytes, without symbols where that is possible."""
    tool = shutil.which("strip")
    if tool:
        target = os.path.join(folder, "bootstrap")
        done = subprocess.run([tool, "-s", "-o", target, str(binary)], capture_output=True, check=False)
        if done.returncode == 0:
            return pathlib.Path(target).read_bytes()
    return binary.read_bytes()


def pack(dist: pathlib.Path, name: str, binary: pathlib.Path) -> str | None:
    """Writes one archive; returns its name, or nothing when it was already there."""
    archive, stamp = dist / f"{name}.zip", dist / f"{name}.stamp"
    wanted = stamp_of(binary)
    if archive.exists() and stamp.exists() and stamp.read_text() == wanted:
        return None
    entry = zipfile.ZipInfo("bootstrap", date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o755 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    with tempfile.TemporaryDirectory(dir=dist) as folder:
        part = pathlib.Path(folder) / "part.zip"
        with zipfile.ZipFile(part, "w", compresslevel=1) as out:
            out.writestr(entry, stripped(binary, folder), compresslevel=1)
        os.replace(part, archive)
    stamp.write_text(wanted)
    return name


def main() -> int:
    """Packs everything named on the command line, a few at a time."""
    dist = pathlib.Path(sys.argv[1])
    dist.mkdir(parents=True, exist_ok=True)
    jobs = [argument.split("=", 1) for argument in sys.argv[2:]]
    turn = os.open(dist / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(turn, fcntl.LOCK_EX)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        results = pool.map(lambda job: pack(dist, job[0], pathlib.Path(job[1])), jobs)
        for name in results:
            if name:
                print(name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
