"""Keeps what the emulator has acknowledged through `kill -9`.

MiniStack saves its state at a clean stop only. This module
- appends the result of every change to an item (`writes.py`) before the answer leaves, and refuses the request, with the
  tables as they were, when that is not possible;
- saves tables whole when the log has grown, all services when `countersign up` has deployed and at a clean stop, and the
  services that people change by hand (`SAVED_AT_ONCE`) after each change;
- replays the log at the start and says what it found (`GET /_countersign/stack`).

MiniStack's item handlers take no lock. Here they take one, so that the log has the order in which changes were made.
"""

from __future__ import annotations

import contextlib
import contextvars
import fcntl
import functools
import json
import os
import pathlib
import shutil
import sys
import threading

from writes import WriteLog

# Below this the disk counts as full: snapshots and S3 objects need room beside the log.
RESERVE = 64 * 1024 * 1024
# The log is replaced by a snapshot when it is this long and longer than the snapshot before it.
COMPACT_AT = 32 * 1024 * 1024

MUTATIONS = (
    "_put_item",
    "_update_item",
    "_delete_item",
    "_batch_write_item",
    "_transact_write_items",
    "_execute_statement",
    "_batch_execute_statement",
    "_execute_transaction",
)
# Whatever changes a table itself is rare: the tables are saved whole.
TABLE_CHANGES = (
    "_create_table",
    "_delete_table",
    "_update_table",
    "_update_ttl",
    "_update_continuous_backups",
    "_tag_resource",
    "_untag_resource",
    "_put_resource_policy",
    "_delete_resource_policy",
    "_create_backup",
    "_delete_backup",
    "_restore_table_from_backup",
    "_restore_table_to_point_in_time",
    "_import_table",
)
# Set by `countersign bench write-log` only.
SWITCH = "COUNTERSIGN_LOG_CAN_BE_SWITCHED"
OBJECT_NAMES = ("handle_request", "_atomic_write", "_error")
SAVED_AT_ONCE = ("cognito", "kms", "secretsmanager", "ssm")
READS = ("Get", "List", "Describe", "Batch", "Verify", "Decrypt", "Encrypt", "Generate", "Sign", "ReEncrypt")


class Refused(Exception):
    """The local stack cannot start here; the text says why in one sentence."""


class InUse(Refused):
    """Another emulator uses the folder."""


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
            raise InUse(f"another local stack (process {holder}) uses `{self.path}`") from None
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


class Tables:
    """The emulator's tables with a write log."""

    def __init__(self, dynamodb, persistence, folder: Folder, log: WriteLog):
        self.dynamodb, self.persistence, self.folder, self.log = dynamodb, persistence, folder, log
        self.lock = threading.RLock()
        self.known: set[str] = set()
        self.saved_bytes = 0
        self.refusing: str | None = None
        self.logging = True
        self._pending: list | None = None
        self._undo: list = []
        self._set, self._remove = dynamodb._set_item, dynamodb._remove_item
        self._replaced = dynamodb._items_replaced

    # What MiniStack calls instead of its own.

    def set_item(self, table, pk, sk, item):
        """Stores an item and notes its image."""
        if not self.logging:
            return self._set(table, pk, sk, item)
        with self._change():
            old = self._set(table, pk, sk, item)
            self._note(table, ["set", *place(table), pk, sk, item], (table, pk, sk, old))
            return old

    def remove_item(self, table, pk, sk):
        """Removes an item and notes that it is gone."""
        if not self.logging:
            return self._remove(table, pk, sk)
        with self._change():
            old = self._remove(table, pk, sk)
            if old is not None:
                self._note(table, ["remove", *place(table), pk, sk], (table, pk, sk, old))
            return old

    def items_replaced(self, table):
        """All items of a table were exchanged, as a transaction of statements does when it is taken back."""
        with self._change():
            self._replaced(table)
            self._note(table, ["items", *place(table), table["items"]], None)

    def mutation(self, handler):
        """A handler whose changes are made and written as one, or not made."""

        @functools.wraps(handler)
        def logged(data):
            if not self.logging:
                return handler(data)
            with self.lock:
                try:
                    self.folder.require_room()
                    with self._change():
                        answer = handler(data)
                except OSError as error:
                    self._forget_token(data)
                    return self._refusal(error)
                self.refusing = None
                self._compact_when_long()
                return answer

        return logged

    def table_change(self, handler):
        """A handler of tables: all are saved before it answers."""

        @functools.wraps(handler)
        def saved(data):
            with self.lock:
                answer = handler(data)
                if answer[0] < 300:
                    try:
                        self.save()
                    except OSError as error:
                        return self._refusal(error)
                return answer

        return saved

    # The log and the snapshot.

    def replay(self) -> dict:
        """Applies the log to the tables that were loaded; returns how many writes there were and to which tables."""
        writes, names = 0, set()
        with self.lock:
            for changes in self.log.replay():
                for change in changes:
                    self._apply(change)
                    if change[0] != "table":
                        writes += 1
                        names.add(change[3])
            self.log.rotate()
        return {"writes": writes, "tables": sorted(names)}

    def save(self) -> None:
        """Saves all tables and drops the log before them. Raises `OSError` and keeps the log when that is not possible."""
        with self.lock:
            before = self.log.rotate()
            self.saved_bytes = write_state(self.persistence, "dynamodb", self._state())
            self.known = {table["TableId"] for table in self.dynamodb._tables.all_values()}
            for segment in before:
                segment.unlink(missing_ok=True)

    def _state(self) -> dict:
        """As MiniStack's own, but without copying what is only read."""
        module = self.dynamodb
        tables = type(module._tables)()
        for (account, region, name), table in module._tables.all_items():
            tables.set_scoped(account, region, name, meta(module, table, "items"))
        return {
            "tables": tables,
            "tags": module._tags,
            "ttl_settings": module._ttl_settings,
            "pitr_settings": module._pitr_settings,
            "kinesis_destinations": module._kinesis_destinations,
            "contributor_insights": module._contributor_insights,
            "backups": module._backups,
            "resource_policies": module._resource_policies,
            "exports": module._exports,
            "imports": module._imports,
        }

    def _compact_when_long(self) -> None:
        if self.log.size < max(COMPACT_AT, self.saved_bytes):
            return
        try:
            self.save()
        except OSError as error:
            say(f"the write log could not be shortened and goes on: {error}")

    @contextlib.contextmanager
    def _change(self):
        """Collects what is noted inside and appends it as one frame at the outermost end."""
        with self.lock:
            if self._pending is not None:
                yield
                return
            self._pending, self._undo = [], []
            try:
                yield
            finally:
                changes, self._pending = self._pending, None
                if changes:
                    self._append(changes)

    def _append(self, changes: list) -> None:
        try:
            self.log.append(changes)
        except OSError:
            for table, pk, sk, old in reversed(self._undo):
                self._remove(table, pk, sk) if old is None else self._set(table, pk, sk, old)
            for change in changes:
                if change[0] == "table":
                    self.known.discard(change[4]["TableId"])
            raise

    def _note(self, table, change: list, undo) -> None:
        if table["TableId"] not in self.known:
            self.known.add(table["TableId"])
            ttl = self.dynamodb._ttl_settings.get_scoped(*place(table))
            self._pending.append(["table", *place(table), meta(self.dynamodb, table), ttl])
        self._pending.append(change)
        if undo is not None:
            self._undo.append(undo)

    def _apply(self, change: list) -> None:
        kind, account, region, name, *rest = change
        tables = self.dynamodb._tables
        if kind == "table":
            found, ttl = tables.get_scoped(account, region, name), rest[1]
            if found is None or found["TableId"] != rest[0]["TableId"]:
                fresh = {**rest[0], "ItemCount": 0, "items": self.dynamodb.defaultdict(dict)}
                tables.set_scoped(account, region, name, fresh)
            if ttl:
                self.dynamodb._ttl_settings.set_scoped(account, region, name, ttl)
            return
        table = tables.get_scoped(account, region, name)
        if table is None:
            raise Refused(f"the write log names the table `{name}`, which is not in the saved state")
        if kind == "set":
            self._set(table, *rest)
        elif kind == "remove":
            self._remove(table, *rest)
        else:
            table["items"] = self.dynamodb.defaultdict(dict, rest[0])
            self._replaced(table)

    def _forget_token(self, data) -> None:
        """A transaction that was taken back is not answered from memory when it is tried again."""
        token = data.get("ClientRequestToken") if isinstance(data, dict) else None
        if token:
            self.dynamodb._txn_idempotency.pop(token, None)

    def _refusal(self, error: OSError):
        sentence = f"a write was refused because it could not be kept: {error}"
        if self.refusing is None:
            say(sentence)
        self.refusing = sentence
        return self.dynamodb.error_response_json("InternalServerError", sentence, 500)


def place(table) -> tuple[str, str, str]:
    """Account, region and name of a table."""
    _, _, _, region, account, resource = table["TableArn"].split(":", 5)
    return account, region, resource.removeprefix("table/")


def meta(dynamodb, table, *also: str) -> dict:
    """A table without what is derived, and without its items unless asked for."""
    left_out = {"items", dynamodb._INDEX_MEMBERS} - set(also)
    return {key: value for key, value in table.items() if key not in left_out}


def say(sentence: str) -> None:
    """One line in the emulator's log, unless the disk is too full for that as well."""
    with contextlib.suppress(OSError):
        print(f"countersign: {sentence}", file=sys.stderr, flush=True)


def write_state(persistence, service: str, state) -> int:
    """Writes a service's state as MiniStack does, but fails loudly. Returns its length."""
    version = persistence._state_format_version(service)
    text = json.dumps({"__ministack_format__": version, "payload": state}, default=persistence._json_default)
    path = pathlib.Path(persistence.STATE_DIR) / f"{service}.json"
    part = path.with_suffix(".json.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as out:
            out.write(text)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return len(text)


class Durable:
    """The changes to MiniStack."""

    def __init__(self, app, folder: Folder, unclean: bool):
        from ministack.core import persistence

        self.app, self.persistence, self.folder, self.unclean = app, persistence, folder, unclean
        self.recovered = {"writes": 0, "tables": []}
        self.tables: Tables | None = None

    def install(self) -> None:
        """Puts the changes in place; the emulator has not started yet."""
        app = self.app
        self.persistence._json_object_hook = strict(self.persistence._json_object_hook)
        app.load_state = functools.partial(self.load_state, app.load_state)
        app._load_persisted_state = functools.partial(self.load, app._load_persisted_state)
        app._reset_all_state = functools.partial(self.reset, app._reset_all_state)
        app.save_all = self.stop
        serve = app.app

        async def ours(scope, receive, send):
            await self.serve(serve, scope, receive, send)

        app.app = ours

    def load_state(self, original, service: str):
        """A state that is there and cannot be read ends the start: the next save would replace it."""
        state = original(service)
        path = pathlib.Path(self.persistence.STATE_DIR) / f"{service}.json"
        if state is None and path.exists():
            fail(f"the saved state `{path}` cannot be read")
        return state

    def load(self, original) -> None:
        """Loads what was saved and replays the log over it."""
        original()
        try:
            self.hook_tables()
            self.recovered = self.tables.replay()
            self.hook_objects()
            self.hook_small_services()
            if self.recovered["writes"]:
                self.tables.save()
        except OSError as error:
            fail(f"the state in `{self.folder.path}` cannot be used: {error}")
        except Exception as error:  # of whatever kind: nothing may run on half of a state
            fail(str(error))

    def hook_tables(self) -> None:
        """Every change to an item goes through the log."""
        dynamodb = self.app._get_module("dynamodb")
        tables = Tables(dynamodb, self.persistence, self.folder, WriteLog(self.folder.path / "writes"))
        self.tables = tables
        tables.known = {table["TableId"] for table in dynamodb._tables.all_values()}
        dynamodb._set_item, dynamodb._remove_item = tables.set_item, tables.remove_item
        dynamodb._items_replaced = tables.items_replaced
        for name in MUTATIONS:
            setattr(dynamodb, name, tables.mutation(getattr(dynamodb, name)))
        for name in TABLE_CHANGES:
            setattr(dynamodb, name, tables.table_change(getattr(dynamodb, name)))

    def hook_objects(self) -> None:
        """MiniStack writes an object's files before it answers, but answers all the same when that fails."""
        s3 = self.app._get_module("s3")
        failures: contextvars.ContextVar = contextvars.ContextVar("failures")
        handle, write = s3.handle_request, s3._atomic_write

        @functools.wraps(write)
        def write_or_tell(*args, **kwargs):
            try:
                return write(*args, **kwargs)
            except OSError as error:
                failures.get([]).append(error)
                raise

        @functools.wraps(handle)
        async def handle_or_refuse(method, path, headers, body, *args, **kwargs):
            if method not in ("PUT", "POST"):
                return await handle(method, path, headers, body, *args, **kwargs)
            failed: list = []
            token = failures.set(failed)
            try:
                self.folder.require_room(len(body or b""))
                answer = await handle(method, path, headers, body, *args, **kwargs)
            except OSError as error:
                failed.append(error)
            finally:
                failures.reset(token)
            if failed:
                say(f"an object was refused because it could not be kept: {failed[0]}")
                return s3._error("InternalError", f"the object could not be kept: {failed[0]}", 500)
            return answer

        s3.handle_request, s3._atomic_write = handle_or_refuse, write_or_tell

    def hook_small_services(self) -> None:
        """Users, keys and secrets are few: their service is saved whole after each change."""
        for service in SAVED_AT_ONCE:
            module = self.app._get_module(service)
            module.handle_request = self.saved_at_once(service, module, module.handle_request)

    def saved_at_once(self, service, module, handle):
        """A handler that saves its service before it answers."""

        @functools.wraps(handle)
        async def saved(method, path, headers, body, query_params):
            answer = await handle(method, path, headers, body, query_params)
            action = headers.get("x-amz-target", "").rpartition(".")[2]
            if answer[0] < 300 and not action.startswith(READS):
                try:
                    write_state(self.persistence, service, module.get_state())
                except OSError as error:
                    say(f"the state of {service} could not be kept: {error}")
                    answer = {"__type": "InternalError", "message": str(error)}
                    return 500, {"Content-Type": "application/json"}, json.dumps(answer).encode()
            return answer

        return saved

    def switch(self, kept: bool) -> tuple[int, dict]:
        """Turns the log off or on for a benchmark; what was not logged is saved before it is on again."""
        if kept and not self.tables.logging:
            self.tables.save()
        self.tables.logging = kept
        return 200, {}

    def reset(self, original) -> None:
        """An emulator that is emptied has an empty log."""
        with self.tables.lock:
            original()
            self.tables.save()

    def save(self) -> list[str]:
        """Saves every service; returns a sentence for each that could not be saved."""
        failed = []
        for service, state in self.app._build_persistence_save_dict().items():
            try:
                if service == "dynamodb":
                    self.tables.save()
                elif (found := state()) is not None:
                    write_state(self.persistence, service, found)
            except Exception as error:  # of whatever kind: the others are saved all the same
                failed.append(f"the state of {service} could not be saved: {error}")
        return failed

    def stop(self, _services) -> None:
        """A clean stop; it stays an unclean one for the next start when something could not be saved."""
        failed = self.save()
        for sentence in failed:
            say(sentence)
        if not failed:
            self.folder.leave()

    async def serve(self, original, scope, receive, send) -> None:
        """MiniStack, and two addresses of our own."""
        if scope["type"] != "http" or not scope["path"].startswith("/_countersign/"):
            await original(scope, receive, send)
            return
        status, answer = self.answer(scope["method"], scope["path"])
        body = json.dumps(answer).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def answer(self, method: str, path: str) -> tuple[int, dict]:
        """Which process answers and what it recovered; or, asked to save, what could not be saved."""
        if (method, path) == ("POST", "/_countersign/save"):
            failed = self.save()
            return (507 if failed else 200), {"failed": failed}
        if method == "POST" and path.startswith("/_countersign/log/") and SWITCH in os.environ:
            return self.switch(path.endswith("/on"))
        if (method, path) == ("GET", "/_countersign/stack"):
            return 200, {
                "pid": os.getpid(),
                "unclean": self.unclean,
                "recovered": self.recovered,
                "refusing": self.tables.refusing if self.tables else None,
            }
        return 404, {}


def strict(hook):
    """MiniStack's reader takes an attribute that is called like one of its marks for the mark, and fails at the start.

    The value of a mark is a text or `true`, which the value of an attribute never is.
    """

    def read(found):
        marks = (found.get("__account_region_scoped__"), found.get("__scoped__"))
        is_mark = True in marks or isinstance(found.get("__bytes__"), str)
        return hook(found) if is_mark else found

    return read


def fail(sentence: str) -> None:
    """Ends the start; the last line of the log is what `countersign up` shows."""
    print(sentence, file=sys.stderr, flush=True)
    os._exit(4)
