"""Keeps what the emulator has acknowledged through `kill -9`.

MiniStack saves its state at a clean stop only. This module
- appends the result of every change to an item (`tables.py`, `writes.py`), and each message that comes to a queue or is done with
  (`queues.py`), before the answer leaves, and refuses the request, with the tables as they were, when that is not possible;
- saves tables whole when the log has grown, all services when `countersign up` has deployed and at a clean stop, and the
  services that people change by hand (`SAVED_AT_ONCE`) after each change;
- replays the log at the start and says what it found (`GET /_countersign/stack`).

MiniStack's item handlers take no lock. Here they take one, so that the log has the order in which changes were made.
"""

from __future__ import annotations

import contextvars
import functools
import json
import os
import pathlib

from folder import Folder, fail, say
from queues import FAILURES, Queues
from tables import LOGGED_FROM, MUTATIONS, TABLE_CHANGES, Tables, write_state
from writes import WriteLog

# Set by `countersign bench write-log` only.
SWITCH = "COUNTERSIGN_LOG_CAN_BE_SWITCHED"
OBJECT_NAMES = (
    "handle_request", "_atomic_write", "_error",
    "_fire_s3_event", "_fire_s3_event_async", "_next_event_sequencer", "_bucket_notifications",
)
SAVED_AT_ONCE = ("cognito", "kms", "secretsmanager", "ssm")
# Actions of these services that change nothing, by their whole names: `SignUp` is not a `Sign`. Whatever is not listed is saved.
READS = frozenset(
    """
    AdminGetUser AdminListGroupsForUser BatchGetSecretValue Decrypt DescribeKey DescribeParameters DescribeResourceServer
    DescribeSecret DescribeUserPool DescribeUserPoolClient DescribeUserPoolDomain Encrypt GenerateDataKey GenerateDataKeyPair
    GenerateDataKeyPairWithoutPlaintext GenerateDataKeyWithoutPlaintext GenerateMac GenerateRandom GetGroup GetKeyPolicy
    GetKeyRotationStatus GetParameter GetParameterHistory GetParameters GetParametersByPath GetPublicKey GetRandomPassword
    GetResourcePolicy GetSecretValue GetUser GetUserPoolMfaConfig ListAliases ListGrants ListGroups ListKeyPolicies ListKeys
    ListResourceServers ListResourceTags ListSecretVersionIds ListSecrets ListTagsForResource ListUserPoolClients
    ListUserPools ListUsers ListUsersInGroup ReEncrypt Sign Verify VerifyMac
    """.split()
)


class Durable:
    """The changes to MiniStack."""

    def __init__(self, app, folder: Folder, unclean: bool):
        from ministack.core import persistence

        self.app, self.persistence, self.folder, self.unclean = app, persistence, folder, unclean
        self.recovered = {"writes": 0, "tables": [], "queued": 0}
        self.tables: Tables | None = None
        self.logged_from = 0

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
        if service == "dynamodb" and state is not None:
            self.logged_from = state.get(LOGGED_FROM, 0)
        return state

    def load(self, original) -> None:
        """Loads what was saved and replays the log over it."""
        # MiniStack begins to deliver messages while it loads: they wait until the log has been read.
        with self.app._get_module("sqs")._queues_lock:
            original()
            self.replay()

    def replay(self) -> None:
        """Reads the log over what was loaded, and puts the changes in place."""
        try:
            self.hook_tables()
            self.recovered = self.tables.replay(self.logged_from)
            self.hook_objects()
            self.hook_small_services()
            if self.recovered["writes"] or self.recovered["queued"]:
                self.tables.save()
        except OSError as error:
            fail(f"the state in `{self.folder.path}` cannot be used: {error}")
        except Exception as error:  # of whatever kind: nothing may run on half of a state
            fail(str(error))

    def hook_tables(self) -> None:
        """Every change to an item, and every message that comes or goes, goes through the log."""
        dynamodb = self.app._get_module("dynamodb")
        tables = Tables(dynamodb, self.persistence, self.folder, WriteLog(self.folder.path / "writes"))
        self.tables, tables.queues = tables, Queues(self.app._get_module("sqs"), tables)
        tables.queues.install()
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
        events: contextvars.ContextVar = contextvars.ContextVar("events")
        handle, write, fire = s3.handle_request, s3._atomic_write, s3._fire_s3_event_async

        @functools.wraps(write)
        def write_or_tell(*args, **kwargs):
            try:
                return write(*args, **kwargs)
            except OSError as error:
                FAILURES.get([]).append(error)
                raise

        @functools.wraps(fire)
        def fire_later(*args, **kwargs):
            told = events.get(None)
            if told is None:
                fire(*args, **kwargs)
            else:
                told.append(functools.partial(tell_of_object, s3, *args, **kwargs))

        @functools.wraps(handle)
        async def handle_or_refuse(method, path, headers, body, *args, **kwargs):
            if method not in ("PUT", "POST"):
                return await handle(method, path, headers, body, *args, **kwargs)
            failed, told = [], []
            tokens = (FAILURES, FAILURES.set(failed)), (events, events.set(told))
            try:
                self.folder.require_room(len(body or b""))
                answer = await handle(method, path, headers, body, *args, **kwargs)
                for tell in told if not failed else []:
                    tell()
            except OSError as error:
                failed.append(error)
            finally:
                for variable, token in tokens:
                    variable.reset(token)
            if failed:
                say(f"an object was refused because it could not be kept: {failed[0]}")
                return s3._error("InternalError", f"the object could not be kept: {failed[0]}", 500)
            return answer

        s3.handle_request, s3._atomic_write = handle_or_refuse, write_or_tell
        s3._fire_s3_event_async = fire_later

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
            if answer[0] < 300 and action not in READS:
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
                elif service == "sqs":
                    continue  # saved with the tables, whose log has its messages
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
        if self.tables and scope["type"] == "http":
            self.tables.queues.started = True
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


def tell_of_object(s3, bucket: str, key: str, event: str, size=0, etag="", deletion_type=None, **rest) -> None:
    """Tells a bucket's queue of an object that is kept, before that is answered; MiniStack does it beside, and a kill may come between."""
    if bucket in s3._bucket_notifications:
        rest["sequencer"] = s3._next_event_sequencer(event)
        s3._fire_s3_event(bucket, key, event, size, etag, deletion_type, **rest)


def strict(hook):
    """MiniStack's reader takes an attribute that is called like one of its marks for the mark, and fails at the start.

    The value of a mark is a text or `true`, which the value of an attribute never is.
    """

    def read(found):
        marks = (found.get("__account_region_scoped__"), found.get("__scoped__"))
        is_mark = True in marks or isinstance(found.get("__bytes__"), str)
        return hook(found) if is_mark else found

    return read
