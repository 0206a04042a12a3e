"""The emulator's queues with a write log around every message that comes or goes.

MiniStack changes the list of a queue's messages in a dozen places, some of them outside its module for queues. So the list itself
notes what is appended to it, and the queue what is left when its list is replaced.
"""

from __future__ import annotations

import copy

from folder import say

# The name of a queue's list of messages.
MESSAGES = "messages"
# The changes that are noted: a message that is sent, messages that are done with.
SENT, GONE = "sent", "gone"
OF_QUEUES = (SENT, GONE)


class Messages(list):
    """The messages of a queue."""

    def __init__(self, messages, queue: "Queue"):
        super().__init__(messages)
        self.queue = queue

    def append(self, message) -> None:
        """Notes a message before it is in the queue: whoever sends one is told when it cannot be kept."""
        with self.queue.log.lock:
            self.queue.log.note(SENT, self.queue, message)
            super().append(message)

    def remove(self, message) -> None:
        with self.queue.log.lock:
            super().remove(message)
            self.queue.log.gone(self.queue, [message["id"]])

    def clear(self) -> None:
        with self.queue.log.lock:
            gone = [message["id"] for message in self]
            super().clear()
            self.queue.log.gone(self.queue, gone)


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
            left = {message["id"] for message in value}
            gone = [message["id"] for message in self[MESSAGES] if message["id"] not in left]
            super().__setitem__(MESSAGES, Messages(value, self))
            self.log.gone(self, gone)

    def __deepcopy__(self, memo) -> dict:
        """A copy is for saving: it notes nothing."""
        plain = {**self, MESSAGES: list(self[MESSAGES])}
        return copy.deepcopy(plain, memo)


class Queues:
    """Notes what comes and goes in the log of the tables, and brings it back from there."""

    def __init__(self, sqs, tables):
        self.sqs, self.tables, self.lock = sqs, tables, tables.lock
        self.replaying = True

    def install(self) -> None:
        """Takes the queues there are, and each that is made from now on."""
        queues = self.sqs._queues
        for place, queue in queues.all_items():
            queues.set_scoped(*place, Queue(queue, self))
        queues.__class__ = noting(type(queues), self)

    def state(self) -> dict:
        """What is saved: the emulator's own."""
        return self.sqs.get_state()

    def note(self, kind: str, queue: Queue, what) -> None:
        """Appends a change. Raises `OSError` when it cannot be kept."""
        if not self.replaying and self.tables.logging:
            self.tables.log.append([[kind, *place(queue), what]])

    def gone(self, queue: Queue, ids: list[str]) -> None:
        """Messages that are done with; where that cannot be noted, they are delivered again after a kill, as queues may."""
        if not ids:
            return
        try:
            self.note(GONE, queue, ids)
        except OSError as error:
            say(f"that messages were delivered could not be kept: {error}")

    def apply(self, change: list) -> None:
        """Brings one change back. A queue that was deleted since has no messages."""
        kind, account, region, name, what = change
        queue = self.sqs._queue_by_arn(f"arn:aws:sqs:{region}:{account}:{name}")
        if queue is None:
            return
        gone = {what["id"]} if kind == SENT else set(what)
        left = [message for message in queue[MESSAGES] if message["id"] not in gone]
        queue[MESSAGES] = [*left, what] if kind == SENT else left


def noting(kind: type, log: Queues) -> type:
    """The emulator's dictionary of queues, which makes a queue that is put into it one that is noted."""

    class Noting(kind):
        __slots__ = ()

        def __setitem__(self, key, queue) -> None:
            super().__setitem__(key, queue if isinstance(queue, Queue) else Queue(queue, log))

    return Noting


def place(queue: dict) -> tuple[str, str, str]:
    """Account, region and name of a queue."""
    _, _, _, region, account, name = queue["attributes"]["QueueArn"].split(":", 5)
    return account, region, name
