"""Tests of the write log, alone and with the emulator's tables: `python -m unittest durable_test` in its environment."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import durable
import tables
from folder import RESERVE, Folder, Refused
from writes import Damaged, WriteLog, frame

CASES = 100
KILLED = """
import pathlib, sys
from writes import WriteLog
log = WriteLog(pathlib.Path(sys.argv[1]))
log.rotate()
for number in range(10**9):
    log.append([["set", number, "x" * (number * 37 % 5000)]])
    print(number, flush=True)
"""


def mount_small_disk(test: unittest.TestCase, folder: pathlib.Path) -> None:
    """Puts a disk of 1 MB at a folder, as long as the test runs."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], capture_output=True)
    if mounted.returncode:
        test.skipTest("only root may mount a small disk")
    test.addCleanup(subprocess.run, ["umount", "--lazy", str(folder)], check=True)


class TheLog(unittest.TestCase):
    """What was appended is replayed; what was not written whole is not."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def replayed(self) -> list:
        return list(WriteLog(self.folder).replay())

    def test_a_frame_that_was_cut_anywhere_is_dropped_and_those_before_it_stay(self):
        whole, cut = frame([["set", 1]]), frame([["set", 2, "é"]])
        for length in range(len(cut)):
            (self.folder / "00000001.log").write_bytes(whole + cut[:length])
            self.assertEqual(self.replayed(), [[["set", 1]]])

    def test_a_last_frame_with_another_checksum_is_dropped(self):
        torn = frame([["set", 2]])[:-1] + b"?"
        (self.folder / "00000001.log").write_bytes(frame([["set", 1]]) + torn)
        self.assertEqual(self.replayed(), [[["set", 1]]])

    def test_a_damaged_frame_before_others_is_an_error(self):
        torn = frame([["set", 2]])[:-1] + b"?"
        (self.folder / "00000001.log").write_bytes(torn + frame([["set", 3]]))
        with self.assertRaises(Damaged):
            self.replayed()

    def test_segments_are_replayed_in_the_order_of_their_numbers(self):
        log = WriteLog(self.folder)
        for number in range(12):
            self.assertEqual(len(log.rotate()), number)
            log.append([number])
        self.assertEqual(self.replayed(), [[number] for number in range(12)])

    def test_a_file_that_cannot_grow_keeps_whole_frames_only_and_goes_on_later(self):
        log = WriteLog(self.folder)
        log.rotate()
        log.append([1])
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.size + 20, limits[1]))
        try:
            with self.assertRaises(OSError):
                log.append(["x" * 100])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        log.append([2])
        self.assertEqual(self.replayed(), [[1], [2]])

    def test_a_full_disk_keeps_every_whole_frame(self):
        mount_small_disk(self, self.folder)
        log, kept = WriteLog(self.folder), 0
        log.rotate()
        with self.assertRaises(OSError):
            while True:
                log.append([kept, "x" * 5000])
                kept += 1
        self.assertEqual([number for number, _ in self.replayed()], list(range(kept)))
        self.assertGreater(kept, 100)
        with self.assertRaisesRegex(OSError, "nearly full"):
            Folder(self.folder).require_room()

    def test_a_killed_process_has_written_what_it_acknowledged(self):
        for case in range(5):
            folder = self.folder / str(case)
            command = [sys.executable, "-c", KILLED, str(folder)]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parent)
            for _ in range(random.Random(case).randrange(50, 500)):
                child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            acknowledged = [int(line) for line in child.stdout if line.endswith(b"\n")]
            child.wait()
            child.stdout.close()
            numbers = [changes[0][1] for changes in WriteLog(folder).replay()]
            self.assertEqual(numbers, list(range(len(numbers))))
            self.assertGreater(len(numbers), acknowledged[-1] if acknowledged else 0)


class TheFolder(unittest.TestCase):
    """One process at a time, and a mark of how it ended."""

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_stop_without_leaving_is_unclean(self):
        first = Folder(self.path)
        self.assertFalse(first.take())
        os.close(first._descriptor)
        second = Folder(self.path)
        self.assertTrue(second.take())
        second.leave()
        os.close(second._descriptor)
        self.assertFalse(Folder(self.path).take())

    def test_a_second_process_is_refused_with_the_first_one_named(self):
        Folder(self.path).take()
        with self.assertRaisesRegex(Refused, f"process {os.getpid()}"):
            Folder(self.path).take()

    def test_a_nearly_full_disk_has_no_room(self):
        folder = Folder(self.path)
        folder.free = lambda: RESERVE + 9
        folder.require_room(9)
        with self.assertRaisesRegex(OSError, "nearly full: 64 MB left"):
            folder.require_room(10)


class TheStart(unittest.TestCase):
    """What stands in the way of a start is one sentence, the last line that the launcher says."""

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.path / "state").mkdir()

    def refused(self, port: int, expected: str):
        environment = {"PATH": os.environ["PATH"], "STATE_DIR": str(self.path / "state"), "BIND_HOST": "127.0.0.1",
                       "GATEWAY_PORT": str(port), "PERSIST_STATE": "1", "TMPDIR": str(self.path)}
        here = pathlib.Path(__file__).parent
        said = subprocess.run([sys.executable, "-B", "launch.py"], cwd=here, env=environment, capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr.strip().splitlines()[-1]), (4, expected))

    def test_a_taken_port(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused(port, f"port {port} is in use by another program")
        self.assertEqual((self.path / "lock").read_text(), "", "a start that came to nothing is not an unclean stop")

    def test_a_nearly_full_disk(self):
        mount_small_disk(self, self.path)
        (self.path / "state").mkdir()
        self.refused(0, f"the disk of `{self.path}` is nearly full: 0 MB left")

    def test_a_folder_in_use(self):
        folder = Folder(self.path)
        folder.take()
        self.refused(0, f"another local stack (process {os.getpid()}) uses `{self.path}`")

    def test_a_saved_state_that_cannot_be_read_is_not_replaced(self):
        (self.path / "state" / "kms.json").write_text("{")
        self.refused(0, f"the saved state `{self.path}/state/kms.json` cannot be read")
        self.assertEqual((self.path / "state" / "kms.json").read_text(), "{")

    def test_a_damaged_log(self):
        (self.path / "writes").mkdir()
        segment = self.path / "writes" / "00000001.log"
        segment.write_bytes(frame([["set", 1]])[:-1] + b"?" + frame([["set", 2]]))
        self.refused(0, f"the write log `{segment}` is damaged at byte 0")


class TheSmallServices(unittest.IsolatedAsyncioTestCase):
    """Users, keys and secrets: whatever may change them is saved before the answer."""

    async def saves(self, action: str) -> bool:
        """Whether the service is saved when this action has succeeded."""
        services = durable.Durable.__new__(durable.Durable)
        services.persistence = None

        async def handle(*_):
            return 200, {}, b"{}"

        handler = services.saved_at_once("cognito", unittest.mock.Mock(), handle)
        with unittest.mock.patch.object(durable, "write_state") as write:
            await handler("POST", "/", {"x-amz-target": f"AWSCognitoIdentityProviderService.{action}"}, b"{}", {})
        return write.called

    async def test_actions_that_begin_like_a_read_are_saved(self):
        named = ("SignUp", "VerifyUserAttribute", "VerifySoftwareToken", "GetUserAttributeVerificationCode", "AdminCreateUser")
        for action in (*named, ""):
            with self.subTest(action=action):
                self.assertTrue(await self.saves(action))

    async def test_reads_are_not(self):
        for action in ("GetUser", "ListUsers", "DescribeUserPool", "Sign", "Verify", "GenerateMac", "GetSecretValue"):
            with self.subTest(action=action):
                self.assertFalse(await self.saves(action))


class Nothing:
    """A folder with a disk that has room, or has not."""

    full = False

    def require_room(self, _more=0):
        if self.full:
            raise OSError("the disk is nearly full")


class TheTables(unittest.TestCase):
    """The emulator's own handlers, with the log around them."""

    @classmethod
    def setUpClass(cls):
        from ministack.core import persistence
        from ministack.services import dynamodb

        cls.dynamodb, cls.persistence = dynamodb, persistence
        cls.originals = {name: getattr(dynamodb, name) for name in tables.MUTATIONS}
        cls.items = {name: getattr(dynamodb, name) for name in ("_set_item", "_remove_item", "_items_replaced")}

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.persistence.STATE_DIR = str(self.path / "state")
        self.enterContext(contextlib.redirect_stderr(io.StringIO()))
        self.addCleanup(self.unhook)

    def unhook(self):
        for name, value in {**self.originals, **self.items}.items():
            setattr(self.dynamodb, name, value)

    def hook(self, compact_at: int = tables.COMPACT_AT) -> tables.Tables:
        """Tables as the launcher changes them, over what the emulator has now."""
        self.unhook()
        self.enterContext(unittest.mock.patch.object(tables, "COMPACT_AT", compact_at))
        kept = tables.Tables(self.dynamodb, self.persistence, Nothing(), WriteLog(self.path / "writes"))
        kept.known = {table["TableId"] for table in self.dynamodb._tables.all_values()}
        kept.log.rotate()
        for name, method in zip(self.items, (kept.set_item, kept.remove_item, kept.items_replaced)):
            setattr(self.dynamodb, name, method)
        for name in tables.MUTATIONS:
            setattr(self.dynamodb, name, kept.mutation(self.originals[name]))
        return kept

    def kill(self) -> tuple[dict, dict]:
        """Everything in memory is gone; returns what there was and what a new start finds."""
        before = self.contents()
        self.dynamodb._tables.clear()
        self.dynamodb._ttl_settings.clear()
        saved, first = pathlib.Path(self.persistence.STATE_DIR) / "dynamodb.json", 0
        if saved.exists():
            text = json.loads(saved.read_text(), object_hook=durable.strict(self.persistence._json_object_hook))
            self.dynamodb.load_persisted_state(text["payload"])
            first = text["payload"][tables.LOGGED_FROM]
        self.hook().replay(first)
        return before, self.contents()

    def contents(self) -> dict:
        """Every table that has items, without what is shared with the emulator."""
        whole = {
            key: {"items": table["items"], "count": table["ItemCount"]}
            for key, table in self.dynamodb._tables.all_items()
            if table["items"]
        }
        return json.loads(json.dumps({repr(key): value for key, value in whole.items()}))

    def table(self, name: str):
        keys = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
        types = [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "N"}]
        request = {"TableName": name, "KeySchema": keys, "AttributeDefinitions": types, "BillingMode": "PAY_PER_REQUEST"}
        self.assertEqual(self.dynamodb._create_table(request)[0], 200)

    def test_tables_are_as_they_were_after_any_history(self):
        for case in range(CASES):
            with self.subTest(case=case):
                self.dynamodb._tables.clear()
                chance = random.Random(case)
                kept = self.hook(compact_at=chance.choice((1, 2000, 1 << 30)))
                for name in ("one", "two"):
                    self.table(name)
                for _ in range(chance.randrange(60)):
                    self.change(chance)
                before, after = self.kill()
                self.assertEqual(before, after)
                for segment in kept.log.segments():
                    segment.unlink()
                (self.path / "state" / "dynamodb.json").unlink(missing_ok=True)

    def change(self, chance: random.Random):
        """One request; some are refused by their condition."""
        name, key = chance.choice(("one", "two")), {"p": {"S": chance.choice("abc")}, "s": {"N": chance.choice("123")}}
        item = {**key, "v": {"N": str(chance.randrange(9))}, "m": {"M": {"__bytes__": {"S": "é"}, "__scoped__": {"BOOL": True}}}}
        new = {"ConditionExpression": "attribute_not_exists(p)"} if chance.random() < 0.3 else {}
        add = {"UpdateExpression": "ADD v :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
        kind = chance.randrange(5)
        if kind == 0:
            self.dynamodb._put_item({"TableName": name, "Item": item, **new})
        elif kind == 1:
            self.dynamodb._update_item({"TableName": name, "Key": key, **add, **new})
        elif kind == 2:
            self.dynamodb._delete_item({"TableName": name, "Key": key})
        elif kind == 3:
            puts = [{"PutRequest": {"Item": item}}, {"DeleteRequest": {"Key": {"p": {"S": "d"}, "s": {"N": "1"}}}}]
            self.dynamodb._batch_write_item({"RequestItems": {name: puts}})
        else:
            other = {"p": {"S": "e"}, "s": {"N": chance.choice("123")}}
            steps = [{"Put": {"TableName": "one", "Item": item, **new}}, {"Update": {"TableName": "two", "Key": other, **add}}]
            self.dynamodb._transact_write_items({"TransactItems": steps})

    def test_a_kill_before_the_log_of_a_deleted_table_is_dropped_loses_nothing_and_brings_nothing_back(self):
        put = lambda name: self.dynamodb._put_item({"TableName": name, "Item": {"p": {"S": "a"}, "s": {"N": "1"}}})
        for again in (False, True):
            with self.subTest(again=again):
                self.dynamodb._tables.clear()
                kept = self.hook()
                for name in ("one", "two"):
                    self.table(name)
                kept.save()
                put("one"), put("two")
                stays = unittest.mock.patch.object(pathlib.Path, "unlink", lambda *_args, **_named: None)
                delete = kept.table_change(self.dynamodb._delete_table)
                with stays:
                    self.assertEqual(delete({"TableName": "one"})[0], 200)
                    if again:
                        self.table("one")
                        kept.save()
                put("two")
                before, after = self.kill()
                self.assertEqual(before, after)
                self.assertEqual(len(after), 1, "nothing is in `one`")

    def test_a_log_that_is_gone_goes_on_behind_what_was_saved(self):
        self.dynamodb._tables.clear()
        kept = self.hook()
        self.table("one")
        put = lambda key: self.dynamodb._put_item({"TableName": "one", "Item": {"p": {"S": key}, "s": {"N": "1"}}})
        for _ in range(3):
            put("a"), kept.save()
        for segment in kept.log.segments():
            segment.unlink()
        self.kill()
        put("b")
        before, after = self.kill()
        self.assertEqual((before, len(after[next(iter(after))]["items"])), (after, 2))

    def test_a_transaction_that_cannot_be_kept_is_undone_whole_and_can_be_tried_again(self):
        self.dynamodb._tables.clear()
        kept = self.hook()
        self.table("one")
        put = lambda key: {"Put": {"TableName": "one", "Item": {"p": {"S": key}, "s": {"N": "1"}, "v": {"N": "2"}}}}
        self.dynamodb._put_item({"TableName": "one", "Item": {"p": {"S": "a"}, "s": {"N": "1"}, "v": {"N": "1"}}})
        before = self.contents()
        append, kept.log.append = kept.log.append, unittest.mock.Mock(side_effect=OSError("no space"))
        request = {"TransactItems": [put("a"), put("b")], "ClientRequestToken": "once"}
        status, _, body = self.dynamodb._transact_write_items(request)
        self.assertEqual((status, self.contents()), (500, before))
        self.assertIn("could not be kept: no space", str(body))
        kept.log.append = append
        self.assertEqual(self.dynamodb._transact_write_items(request)[0], 200)
        before, after = self.kill()
        self.assertEqual((before, len(after[next(iter(after))]["items"])), (after, 2))

    def test_nothing_is_written_to_a_nearly_full_disk(self):
        self.dynamodb._tables.clear()
        kept = self.hook()
        self.table("one")
        kept.folder.full = True
        item = {"p": {"S": "a"}, "s": {"N": "1"}}
        self.assertEqual(self.dynamodb._put_item({"TableName": "one", "Item": item})[0], 500)
        self.assertEqual(kept.refusing, "a write was refused because it could not be kept: the disk is nearly full")
        kept.folder.full = False
        self.assertEqual(self.dynamodb._put_item({"TableName": "one", "Item": item})[0], 200)
        self.assertIsNone(kept.refusing)

    def test_no_table_is_made_on_a_nearly_full_disk(self):
        self.dynamodb._tables.clear()
        kept = self.hook()
        create = kept.table_change(self.dynamodb._create_table)
        self.enterContext(unittest.mock.patch.object(self.dynamodb, "_create_table", create))
        kept.folder.full = True
        with self.assertRaises(AssertionError):
            self.table("one")
        self.assertEqual(list(self.dynamodb._tables.all_values()), [])
        kept.folder.full = False
        self.table("one")
        self.assertEqual(len(list(self.dynamodb._tables.all_values())), 1)


if __name__ == "__main__":
    unittest.main()
