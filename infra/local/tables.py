"""The emulator's tables with a write log around every change, which is also that of its queues (`queues.py`)."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
import threading

from folder import Folder, Refused, say
from queues import OF_QUEUES, Queues
from writes import WriteLog

# The log is replaced by a snapshot when it is this long and longer than the snapshot before it.
COMPACT_AT = 32 * 1024 * 1024
# In the saved state: the number of the first segment of the log that is not in it. Without it, a process that is killed between saving and
# dropping the log would have writes to tables that are deleted by then, or to others of the same name.
LOGGED_FROM = "countersign_logged_from"

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


class Tables:
    """The emulator's tables with a write log."""

    def __init__(self, dynamodb, persistence, folder: Folder, log: WriteLog):
        self.dynamodb, self.persistence, self.folder, self.log = dynamodb, persistence, folder, log
        self.lock = threading.RLock()
        self.queues: Queues | None = None
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
        """A handler of tables: all are saved before it answers.

        Nothing changes on a disk that is nearly full. A change is not taken back when saving fails for another reason.
        """

        @functools.wraps(handler)
        def saved(data):
            with self.lock:
                try:
                    self.folder.require_room()
                    answer = handler(data)
                    if answer[0] < 300:
                        self.save()
                except OSError as error:
                    return self._refusal(error)
                return answer

        return saved

    # The log and the snapshot.

    def replay(self, first: int) -> dict:
        """Applies the log from this segment on to the tables that were loaded; returns how many writes there were, to which tables, and how many changes of queues."""
        writes, queued, names = 0, 0, set()
        with self.lock:
            for changes in self.log.replay(first):
                for change in changes:
                    if change[0] in OF_QUEUES:
                        self.queues.apply(change)
                        queued += 1
                        continue
                    self._apply(change)
                    if change[0] != "table":
                        writes += 1
                        names.add(change[3])
            self.log.rotate()
            if self.queues:
                self.queues.replayed()
        return {"writes": writes, "tables": sorted(names), "queued": queued}

    def save(self) -> None:
        """Saves all tables and queues and drops the log before them. Raises `OSError` and keeps the log when that is not possible."""
        with self.lock:
            before = self.log.rotate()
            if self.queues:
                write_state(self.persistence, "sqs", self.queues.sqs.get_state())
            state = {**self._state(), LOGGED_FROM: self.log.number}
            self.saved_bytes = write_state(self.persistence, "dynamodb", state)
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
