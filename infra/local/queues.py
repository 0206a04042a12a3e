"""The emulator's queues with a write log around every message that comes or goes.

MiniStack changes the list of a queue's messages in a dozen places, some of them outside its module for queues, and takes a lock in
some of them only. So the list itself notes what is appended to it, and the queue what is left when its list is replaced; and whatever
reads a list to replace it holds the lock of the tables from before it reads until it has replaced it.
"""

from __future__ import annotations

import contextvars
import copy
import functools

from folder import say

# The name of a queue's list of messages.
MESSAGES = "messages"
# The changes that are noted: a message that is sent, messages that are done with.
SENT, GONE = "sent", "gone"
OF_QUEUES = (SENT, GONE)
# What MiniStack's own functions do to the messages of a queue, or read of all of them.
GUARDED = ("_collect_msgs", "_dlq_sweep", "_expire_retained", "_refresh_counts", "get_state")
# Handlers that do not wait.
GUARDED_ACTIONS = ("ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "DeleteMessage", "DeleteMessageBatch",
                   "GetQueueAttributes", "PurgeQueue", "SendMessage", "SendMessageBatch")
# What could not be kept during a request whose handler does not say so.
FAILURES: contextvars.ContextVar[list] = contextvars.ContextVar("failures")


class Messages(list):
    """The messages of a queue."""

    def __init__(self, messages, queue: "Queue"):
        super().__init__(messages)
        self.queue = queue

    def append(self, message) -> None:
        """Notes a message before it is in the queue: whoever sends one is told when it cannot be kept."""
        with self.queue.log.lock:
            try:
                self.queue.log.keep(self.queue, message)
            except OSError as error:
                FAILURES.get([]).append(error)
                raise
            list.append(self.queue[MESSAGES], message)

    def remove(self, message) -> None:
        with self.queue.log.lock:
            list.remove(self.queue[MESSAGES], message)
            self.queue.log.gone(self.queue, [message["id"]])

    def clear(self) -> None:
        self.queue[MESSAGES] = []


class Queue(dict):
    """A queue whose messages are noted."""

    def __init__(self, queue: dict, log: "Queues"):
        super().__init__(queue)
        self.log = log
        super().__setitem__(MESSAGES, Messages(queue[MESSAGES], self))

    def __setitem__(self, key, value) -> None:
        if key != MESSAGES:
            super().__setitem__(key, value)
            return
        with self.log.lock:
            # Nothing is added to a list that replaces another one: of the same length it is the same.
            if len(value) == len(self[MESSAGES]):
                return
            left = {message["id"] for message in value}
            gone = [message["id"] for message in self[MESSAGES] if message["id"] not in left]
            self.replace(value)
            self.log.gone(self, gone)

    def replace(self, messages) -> None:
        """Sets the messages and notes nothing."""
        super().__setitem__(MESSAGES, Messages(messages, self))

    def __deepcopy__(self, memo) -> dict:
        """A copy is for saving: it notes nothing."""
        plain = {**self, MESSAGES: list(self[MESSAGES])}
        return copy.deepcopy(plain, memo)


class Queues:
    """Notes what comes and goes in the log of the tables, and brings it back from there."""

    def __init__(self, sqs, tables):
        self.sqs, self.tables, self.lock = sqs, tables, tables.lock
        # Nothing is delivered before this: no function could answer yet.
        self.started = False
        self.logging = False
        self._found: dict[int, tuple[Queue, dict]] = {}

    def install(self) -> None:
        """Takes the queues there are, and each that is made from now on."""
        queues = self.sqs._queues
        for place, queue in queues.all_items():
            queues.set_scoped(*place, Queue(queue, self))
        queues.__class__ = noting(type(queues), self)
        for name in GUARDED:
            setattr(self.sqs, name, self.guarded(getattr(self.sqs, name)))
        for action in GUARDED_ACTIONS:
            self.sqs._HANDLERS[action] = self.guarded(self.sqs._HANDLERS[action])
        collect = self.sqs._collect_msgs
        self.sqs._collect_msgs = lambda *args: collect(*args) if self.started else []
        self.sqs._queues_lock = self.lock

    def guarded(self, function):
        """A function that no other change of the messages comes between."""

        @functools.wraps(function)
        def guarded(*args, **kwargs):
            with self.lock:
                return function(*args, **kwargs)

        return guarded

    def keep(self, queue: Queue, message: dict) -> None:
        """Notes a message that is sent. Raises `OSError` when it cannot be kept."""
        if self.logging and self.tables.logging:
            self.tables.folder.require_room()
            self.tables.log.append([[SENT, *place(queue), message]])

    def gone(self, queue: Queue, ids: list[str]) -> None:
        """Messages that are done with; where that cannot be noted, they are delivered again after a kill, as queues may."""
        if not (ids and self.logging and self.tables.logging):
            return
        try:
            self.tables.log.append([[GONE, *place(queue), ids]])
        except OSError as error:
            say(f"that messages were delivered could not be kept: {error}")

    def apply(self, change: list) -> None:
        """Brings one change back, to be seen after `replayed`. A queue that was deleted since, or made again, has no messages of then."""
        kind, account, region, name, made, what = change
        queue = self.sqs._queue_by_arn(f"arn:aws:sqs:{region}:{account}:{name}")
        if queue is None or made_at(queue) != made:
            return
        if id(queue) not in self._found:
            self._found[id(queue)] = queue, {message["id"]: message for message in queue[MESSAGES]}
        _, messages = self._found[id(queue)]
        if kind == SENT:
            messages[what["id"]] = what
            self._number(queue, what)
        else:
            for message in what:
                messages.pop(message, None)

    def _number(self, queue: Queue, message: dict) -> None:
        """A FIFO queue goes on counting, and knows what it has taken, as it did before."""
        if not message.get("seq"):
            return
        queue["fifo_seq"] = max(queue["fifo_seq"], int(message["seq"]))
        if key := message.get("dedup_cache_key"):
            known = {"id": message["id"], "md5": message["md5_body"], "md5a": message["md5_attrs"], "seq": message["seq"]}
            queue["dedup_cache"][key] = {"expire": message["sent_at"] + self.sqs._DEDUP_WINDOW_S, **known}

    def replayed(self) -> None:
        """The log has been read; from now on it is written."""
        for queue, messages in self._found.values():
            queue.replace(messages.values())
        self._found.clear()
        self.logging = True


def noting(kind: type, log: Queues) -> type:
    """The emulator's dictionary of queues, which makes a queue that is put into it one that is noted."""

    class Noting(kind):
        __slots__ = ()

        def __setitem__(self, key, queue) -> None:
            super().__setitem__(key, queue if isinstance(queue, Queue) else Queue(queue, log))

    return Noting


def place(queue: dict) -> tuple[str, str, str, str]:
    """Account, region and name of a queue, and when it was made."""
    _, _, _, region, account, name = queue["attributes"]["QueueArn"].split(":", 5)
    return account, region, name, made_at(queue)


def made_at(queue: dict) -> str:
    """When a queue was made: another one of its name is another queue."""
    return str(queue["attributes"].get("CreatedTimestamp"))
