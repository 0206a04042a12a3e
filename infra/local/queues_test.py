"""Tests of the queues' part of the write log: `python -m unittest queues_test` in the emulator's environment."""

from __future__ import annotations

import json
import pathlib
import random
import shutil
import tempfile
import threading
import unittest
import unittest.mock

import durable
import tables
from durable_test import Nothing
from queues import GUARDED, Queues
from writes import WriteLog

CASES = 100


class TheQueues(unittest.TestCase):
    """The emulator's own handlers, with the log beneath them."""

    def setUp(self):
        from ministack.core import persistence
        from ministack.services import dynamodb, sqs

        self.dynamodb, self.persistence, self.sqs = dynamodb, persistence, sqs
        self.originals = {name: getattr(sqs, name) for name in (*GUARDED, "_queues_lock")}
        self.handlers, self.kind = dict(sqs._HANDLERS), type(sqs._queues)
        self.addCleanup(self.unhook)
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.persistence.STATE_DIR = str(self.path / "state")
        self.addCleanup(sqs.reset)
        sqs.reset()
        self.hook()

    def unhook(self) -> None:
        for name, value in self.originals.items():
            setattr(self.sqs, name, value)
        self.sqs._HANDLERS.update(self.handlers)
        self.sqs._queues.__class__ = self.kind

    def hook(self) -> tables.Tables:
        self.unhook()
        kept = tables.Tables(self.dynamodb, self.persistence, Nothing(), WriteLog(self.path / "writes"))
        kept.queues = Queues(self.sqs, kept)
        kept.queues.install()
        kept.queues.started = True
        self.kept = kept
        return kept

    def start(self) -> dict:
        """What a new process does; returns what it recovered."""
        self.sqs.reset()
        state, first = pathlib.Path(self.persistence.STATE_DIR), 0
        if (state / "sqs.json").exists():
            read = durable.strict(self.persistence._json_object_hook)
            self.sqs.load_persisted_state(json.loads((state / "sqs.json").read_text(), object_hook=read)["payload"])
            first = json.loads((state / "dynamodb.json").read_text())["payload"][tables.LOGGED_FROM]
        return self.hook().replay(first)

    def queue(self, name: str, **attributes) -> str:
        url = self.sqs._act_create_queue({"QueueName": name, "Attributes": attributes}, "")["QueueUrl"]
        self.kept.save()
        return url

    def send(self, url: str, body: str) -> None:
        self.sqs._act_send_message({"QueueUrl": url, "MessageBody": body}, "")

    def receive(self, url: str) -> list[dict]:
        return self.sqs._receive_messages_for_esm(url, 10)

    def bodies(self, url: str) -> list[str]:
        return sorted(message["body"] for message in self.sqs._get_q(url)["messages"])

    def test_what_was_sent_and_not_done_with_is_there_after_any_history(self):
        for case in range(CASES):
            with self.subTest(case=case):
                chance = random.Random(case)
                self.sqs.reset()
                shutil.rmtree(self.path)
                self.path.mkdir()
                self.hook().replay(0)
                url = self.queue("one", VisibilityTimeout="0")
                for step in range(chance.randrange(1, 25)):
                    do = chance.choice(("send", "send", "deliver", "save", "kill", "purge"))
                    if do == "send":
                        self.send(url, f"{case} {step}")
                    elif do == "deliver":
                        done = {message["receipt_handle"] for message in self.receive(url)}
                        self.sqs._delete_messages_for_esm(url, done)
                    elif do == "purge" and step % 5 == 0:
                        self.sqs._act_purge_queue({"QueueUrl": url}, "")
                    elif do == "save":
                        self.kept.save()
                    elif do == "kill":
                        before = self.bodies(url)
                        self.start()
                        self.assertEqual(self.bodies(url), before)

    def test_a_message_that_was_received_and_not_done_with_is_delivered_again(self):
        self.kept.replay(0)
        url = self.queue("one", VisibilityTimeout="180")
        self.send(url, "a")
        self.assertEqual(len(self.receive(url)), 1)
        self.assertEqual(self.receive(url), [])
        self.assertEqual(self.start(), {"writes": 0, "tables": [], "queued": 1})
        self.assertEqual([message["body"] for message in self.receive(url)], ["a"])

    def test_a_message_that_went_to_the_dead_letters_is_there_alone(self):
        self.kept.replay(0)
        dead = self.queue("dead")
        redrive = json.dumps({"deadLetterTargetArn": self.sqs._get_q(dead)["attributes"]["QueueArn"], "maxReceiveCount": 1})
        url = self.queue("one", VisibilityTimeout="0", RedrivePolicy=redrive)
        self.send(url, "a")
        self.receive(url)
        self.assertEqual(self.receive(url), [])
        self.start()
        self.assertEqual((self.bodies(url), self.bodies(dead)), ([], ["a"]))

    def test_no_message_is_lost_between_those_who_send_and_those_who_deliver(self):
        self.kept.replay(0)
        dead = self.queue("dead")
        redrive = json.dumps({"deadLetterTargetArn": self.sqs._get_q(dead)["attributes"]["QueueArn"], "maxReceiveCount": 3})
        url = self.queue("one", VisibilityTimeout="0", RedrivePolicy=redrive)
        sent, delivered = threading.Event(), set()

        def deliver():
            while not sent.is_set() or self.bodies(url):
                some = self.receive(url)
                delivered.update(message["body"] for message in some)
                self.sqs._delete_messages_for_esm(url, {message["receipt_handle"] for message in some})

        def save():
            while not sent.is_set():
                self.kept.save()

        others = [threading.Thread(target=deliver), threading.Thread(target=save)]
        for thread in others:
            thread.start()
        for number in range(500):
            self.send(url, str(number))
        sent.set()
        for thread in others:
            thread.join()
        self.assertEqual(delivered, {str(number) for number in range(500)})
        self.start()
        self.assertEqual(self.bodies(url), [])

    def test_nothing_is_delivered_before_the_log_was_read(self):
        self.kept.replay(0)
        url = self.queue("one")
        self.send(url, "a")
        self.hook().queues.started = False
        self.assertEqual(self.receive(url), [])

    def test_a_queue_that_is_made_again_has_no_messages_of_the_one_before(self):
        self.kept.replay(0)
        url = self.queue("one")
        self.send(url, "a")
        self.sqs._get_q(url)["attributes"]["CreatedTimestamp"] = "1"
        self.sqs._get_q(url).replace([])
        self.hook().replay(0)
        self.assertEqual(self.bodies(url), [])

    def test_a_fifo_queue_goes_on_counting_and_takes_nothing_twice(self):
        self.kept.replay(0)
        url = self.queue("one.fifo", FifoQueue="true")
        send = {"QueueUrl": url, "MessageBody": "a", "MessageGroupId": "g", "MessageDeduplicationId": "d"}
        first = self.sqs._act_send_message(send, "")
        self.start()
        self.assertEqual(self.sqs._act_send_message(send, "")["SequenceNumber"], first["SequenceNumber"])
        second = self.sqs._act_send_message({**send, "MessageDeduplicationId": "e"}, "")
        self.assertGreater(second["SequenceNumber"], first["SequenceNumber"])
        self.assertEqual(self.bodies(url), ["a", "a"])

    def test_a_message_that_cannot_be_kept_is_refused(self):
        self.kept.replay(0)
        url = self.queue("one")
        with unittest.mock.patch.object(self.kept.log, "append", side_effect=OSError("full")):
            with self.assertRaises(OSError):
                self.send(url, "a")
        self.assertEqual(self.bodies(url), [])


if __name__ == "__main__":
    unittest.main()
