"""Starts the pinned MiniStack with changes that make it quicker and keep what it has acknowledged.

Stock, the Lambda Runtime API answers in small unbuffered writes (Nagle's algorithm then holds them back) and waits
50 ms after each invocation for log lines. Both are changed here, at start, without touching the installed package;
a warm invocation is then about ten times faster. Each request has the policies of its role parsed twice; here a policy is
parsed once. Each function keeps a copy of its code; here functions of the same code share one. Each idle environment wakes twenty
times a second; here it sleeps. `durable.py` keeps the state through `kill -9`.
`contract()` names what the changes rely on; if an upgrade moves it, the launcher refuses to start and says what moved.
`python launch.py --check` runs the contract alone.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import http.server
import importlib.metadata
import inspect
import os
import pathlib
import shutil
import signal
import socket
import socketserver
import sys
import threading
import time
import traceback

import durable
import folder
import tables
from queues import GUARDED, GUARDED_ACTIONS

PINNED = "1.5.33"
FIRST_LINE_SECONDS = 0.003
IDLE_SECONDS = 0.002
# How long an environment, or its server, sleeps at most until it looks around; each is woken at once when there is something to do.
PATIENCE_SECONDS = 10.0
# A stack has fewer policies; their text is the key, so one that was changed is another.
KNOWN_POLICIES = 1024

# Set when the process that this one is bound to has gone.
orphaned = threading.Event()


class Moved(Exception):
    """MiniStack no longer has the shape the changes rely on."""


def contract():
    """Returns the class to change, or raises `Moved` naming what is different."""
    version = importlib.metadata.version("ministack")
    if version != PINNED:
        raise Moved(f"this launcher is made for MiniStack {PINNED} and found {version}")
    from ministack.core import lambda_runtime

    worker = getattr(lambda_runtime, "ProvidedWorker", None)
    if worker is None:
        raise Moved("lambda_runtime.ProvidedWorker is gone")
    build = inspect.signature(worker._build_handler_class)
    if list(build.parameters) != ["self", "generation", "pending"]:
        raise Moved(f"ProvidedWorker._build_handler_class takes {build}")
    drain = inspect.signature(worker._drain_stderr_bounded)
    for name in ("first_line_wait", "idle_confirm"):
        if name not in drain.parameters:
            raise Moved(f"ProvidedWorker._drain_stderr_bounded has no `{name}`")
    if "pending" not in handler_source(worker) or ".get(" not in handler_source(worker):
        raise Moved("the Runtime API handler takes invocations in another way")
    server = socketserver.BaseServer(None, None)
    if not all(hasattr(server, f"_BaseServer__{name}") for name in ("shutdown_request", "is_shut_down")):
        raise Moved("socketserver.BaseServer ends in another way")
    handler = worker._build_handler_class(None, 0, None)
    if not issubclass(handler, http.server.BaseHTTPRequestHandler):
        raise Moved("the Runtime API handler is not a BaseHTTPRequestHandler")
    policies_contract()
    code_contract()
    durable_contract()
    return worker


def handler_source(worker) -> str:
    """The code that takes invocations."""
    return inspect.getsource(worker._build_handler_class)


def policies_contract() -> None:
    """Raises `Moved` when policies are parsed in another way."""
    from ministack.core import iam_evaluator

    parse = getattr(iam_evaluator, "parse_policy_document", None)
    if parse is None or list(inspect.signature(parse).parameters) != ["doc"]:
        raise Moved("iam_evaluator.parse_policy_document is gone or takes something else")
    if "parse_policy_document" not in iam_evaluator._gather_role_policies.__code__.co_names:
        raise Moved("iam_evaluator._gather_role_policies does not call parse_policy_document")


def code_contract() -> None:
    """Raises `Moved` when the code of functions is fetched in another way."""
    from ministack.services import lambda_svc
    from ministack.services.cloudformation import provisioners

    fetch = getattr(lambda_svc, "_fetch_code_from_s3", None)
    if fetch is None or list(inspect.signature(fetch).parameters) != ["bucket", "key", "version_id"]:
        raise Moved("lambda_svc._fetch_code_from_s3 is gone or takes something else")
    if "_fetch_code_from_s3" not in provisioners._lambda_create.__code__.co_names:
        raise Moved("CloudFormation does not fetch the code of functions as Lambda does")
    if not hasattr(lambda_svc._functions, "all_values"):
        raise Moved("lambda_svc._functions is kept in another way")


def durable_contract() -> None:
    """Raises `Moved` when what `durable.py` replaces is not there or not called by the name it is replaced under."""
    from ministack import app
    from ministack.core import persistence
    from ministack.services import dynamodb

    items = ("_set_item", "_remove_item", "_items_replaced")
    wanted = {
        app: ("_load_persisted_state", "_reset_all_state", "load_state", "save_all", "app"),
        persistence: ("_json_default", "_json_object_hook", "_state_format_version", "STATE_DIR"),
        dynamodb: (*items, *tables.MUTATIONS, *tables.TABLE_CHANGES, "_txn_idempotency", "_INDEX_MEMBERS"),
    }
    if "--check" in sys.argv:
        # It reads its objects from the disk when it is imported; otherwise it is checked when it is changed.
        from ministack.services import s3, sqs

        wanted[s3] = durable.OBJECT_NAMES
        wanted[sqs] = ("_queues", "_queues_lock", "_queue_by_arn", "_DEDUP_WINDOW_S", *GUARDED)
        if missing := set(GUARDED_ACTIONS) - set(sqs._HANDLERS):
            raise Moved(f"sqs has no actions {sorted(missing)}")
    for module, names in wanted.items():
        for name in names:
            if not hasattr(module, name):
                raise Moved(f"{module.__name__}.{name} is gone")
    kept = set(tables.Tables(dynamodb, persistence, None, None)._state())
    if kept != set(dynamodb.get_state()):
        raise Moved(f"the state of DynamoDB has other parts: {sorted(kept ^ set(dynamodb.get_state()))}")
    for name in (*tables.MUTATIONS, *tables.TABLE_CHANGES):
        if name not in dynamodb.handle_request.__code__.co_names:
            raise Moved(f"dynamodb.handle_request does not call {name}")


class Patient:
    """The invocations that wait for an environment. Whoever takes one sleeps until there is one, or for a while."""

    def __init__(self, pending):
        self.pending = pending

    def get(self, timeout):
        """The next invocation; raises `queue.Empty` after the time, when it is looked whether the environment has ended."""
        return self.pending.get(timeout=max(timeout, PATIENCE_SECONDS))


def quicken(worker) -> None:
    """Buffers the Runtime API's answers, shortens the wait for log lines, and lets idle environments sleep."""
    build, drain = worker._build_handler_class, worker._drain_stderr_bounded

    def build_buffered(self, generation, pending):
        handler = build(self, generation, Patient(pending))
        handler.disable_nagle_algorithm = True
        handler.wbufsize = 65536
        return handler

    def drain_briefly(self, first_line_wait=FIRST_LINE_SECONDS, idle_confirm=IDLE_SECONDS, **rest):
        return drain(self, first_line_wait=first_line_wait, idle_confirm=idle_confirm, **rest)

    worker._build_handler_class = build_buffered
    worker._drain_stderr_bounded = drain_briefly
    handler = worker._build_handler_class(worker.__new__(worker), 0, None)
    if not (handler.disable_nagle_algorithm and handler.wbufsize == 65536):
        raise Moved("the changes to ProvidedWorker did not take hold")


def sleep_until_asked() -> None:
    """Lets a server sleep until somebody connects. Stock, that of each idle environment looks ten times a second whether it is to
    end, and so does each environment: three hundred of them wake the emulator six thousand times a second."""
    serve = socketserver.BaseServer.serve_forever

    def serve_asleep(self, poll_interval=0.5):
        return serve(self, max(poll_interval, PATIENCE_SECONDS))

    def shutdown_awake(self):
        self._BaseServer__shutdown_request = True
        # Whoever sleeps until somebody connects is woken so.
        with contextlib.suppress(OSError):
            socket.create_connection(self.server_address, timeout=1).close()
        self._BaseServer__is_shut_down.wait()

    socketserver.BaseServer.serve_forever = serve_asleep
    socketserver.BaseServer.shutdown = shutdown_awake


def remember_policies() -> None:
    """Parses the text of a policy once. Nobody changes what comes of it: it is only evaluated."""
    from ministack.core import iam_evaluator

    parse = iam_evaluator.parse_policy_document
    once = functools.lru_cache(KNOWN_POLICIES)(parse)
    iam_evaluator.parse_policy_document = lambda doc: once(doc) if isinstance(doc, str) else parse(doc)


def share_code() -> None:
    """Keeps the code of functions once, however many have it. A stack has half a gigabyte, and there may be twenty side by side."""
    from ministack.services import lambda_svc

    fetch = lambda_svc._fetch_code_from_s3

    @functools.wraps(fetch)
    def fetch_shared(bucket, key, version_id=None):
        code = fetch(bucket, key, version_id)
        known = (function.get("code_zip") for function in lambda_svc._functions.all_values())
        return next((other for other in known if code is not None and other == code), code)

    lambda_svc._fetch_code_from_s3 = fetch_shared


def die_with(parent: int) -> None:
    """Stops this process when `parent` has gone, so that an interrupted test leaves no emulator behind."""

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        orphaned.set()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()


def leave_nothing() -> None:
    """Removes the state folder of a stack that nobody can start again; it holds a gigabyte and more."""
    state = pathlib.Path(os.environ["STATE_DIR"]).parent.parent
    # A function that ends this moment may still write.
    for _ in range(10):
        shutil.rmtree(state, ignore_errors=True)
        if not state.exists():
            return
        time.sleep(0.2)


def end_functions() -> None:
    """Ends the functions' processes, which would otherwise outlive the emulator; only ours share its group."""
    if os.getpgid(0) == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(os.getpid(), signal.SIGTERM)


def require_port() -> None:
    """Says in one sentence that the port is taken; MiniStack says it in three lines or with a traceback."""
    port = int(os.environ.get("GATEWAY_PORT", "4566"))
    with socket.socket() as probe:
        # As the server does: connections of the process before, which wait to end, do not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((os.environ.get("BIND_HOST", "0.0.0.0"), port))
        except OSError:
            raise folder.Refused(f"port {port} is in use by another program") from None


def prepare() -> durable.Durable:
    """Takes the folder and the port, and changes MiniStack so that its state is kept."""
    ours = folder.Folder(pathlib.Path(os.environ["STATE_DIR"]).parent)
    unclean = ours.take()
    try:
        ours.require_room()
        require_port()
    except (OSError, folder.Refused) as refusal:
        ours.put_back(unclean)
        raise folder.Refused(str(refusal)) from None
    from ministack import app

    kept = durable.Durable(app, ours, unclean)
    kept.install()
    return kept


def main() -> int:
    """Checks the contract, applies the changes and serves until SIGTERM."""
    try:
        quicken(contract())
        sleep_until_asked()
        remember_policies()
        share_code()
    except Moved as moved:
        print(f"the local stack cannot start: {moved}; see infra/local/README.md", file=sys.stderr)
        return 3
    if "--check" in sys.argv:
        print(f"MiniStack {PINNED} has the shape the launcher relies on")
        return 0
    if os.environ.get("COUNTERSIGN_DIE_WITH_PARENT") == "1":
        die_with(os.getppid())
    sys.argv = ["ministack"]
    try:
        kept = prepare()
    except folder.Refused as refused:
        print(refused, file=sys.stderr)
        return 4

    status = 1
    try:
        kept.app.main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            kept.folder.put_back(kept.unclean)
            print(f"port {os.environ.get('GATEWAY_PORT')} is in use by another program", file=sys.stderr)
        else:
            traceback.print_exc()
    except BaseException:  # whatever it was, the functions must not outlive it
        traceback.print_exc()
    finally:
        end_functions()
        if orphaned.is_set():
            leave_nothing()
        sys.stdout.flush()
        sys.stderr.flush()
        # State is saved by now. Executions that wait for a token hold threads that would keep this process for ever.
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
