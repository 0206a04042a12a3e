"""Tests of the queues' part of the write log: `python -m unittest queues_test` in the emulator's environment."""

from __future__ import annotations

import json
import pathlib
import random
import tempfile
import unittest
import unittest.mock

import durable
import tables
from durable_test import Nothing
from queues import Queues
from writes import WriteLog

CASES = 100


class TheQueues(unittest.TestCase):
    """The emulator's own handlers, with the log beneath them."""

    def setUp(self):
        from ministack.core import persistence
        from ministack.services import dynamodb, sqs

        self.dynamodb, self.persistence, self.sqs = dynamodb, persistence, sqs
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.persistence.STATE_DIR = str(self.path / "state")
        self.addCleanup(sqs.reset)
        sqs.reset()
        self.hook()

    def hook(self) -> tables.Tables:
        kept = tables.Tables(self.dynamodb, self.persistence, Nothing(), WriteLog(self.path / "writes"))
        kept.queues = Queues(self.sqs, kept)
        kept.queues.install()
        self.kept = kept
        return kept

    def start(self) -> None:
        """What a new process does."""
        self.sqs.reset()
        state, first = pathlib.Path(self.persistence.STATE_DIR), 0
        if (state / "sqs.json").exists():
            read = durable.strict(self.persistence._json_object_hook)
            self.sqs.load_persisted_state(json.loads((state / "sqs.json").read_text(), object_hook=read)["payload"])
            first = json.loads((state / "dynamodb.json").read_text())["payload"][tables.LOGGED_FROM]
        self.hook().replay(first)

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
                self.setUp()
                self.kept.replay(0)
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
        self.start()
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

    def test_a_message_that_cannot_be_kept_is_refused(self):
        self.kept.replay(0)
        url = self.queue("one")
        with unittest.mock.patch.object(self.kept.log, "append", side_effect=OSError("full")):
            with self.assertRaises(OSError):
                self.send(url, "a")
        self.assertEqual(self.bodies(url), [])


if __name__ == "__main__":
    unittest.main()
