"""Due times by brute force: every minute is looked at. Reads cases from stdin, writes the due times of each as seconds."""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

BOUNDS = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]
DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


def number(text):
    return DAYS.index(text) if text in DAYS else int(text)


def field(text, low, high):
    values = set()
    for part in text.split(","):
        spread, _, step = part.partition("/")
        begin, end = (low, high) if spread == "*" else (number(spread.split("-")[0]), number(spread.split("-")[-1]))
        values |= set(range(begin, end + 1, int(step or 1)))
    return {value % 7 for value in values} if high == 6 else values


def due(cron, zone, begin, minutes):
    parts = cron.split()
    fields = [field(text, *bounds) for text, bounds in zip(parts, BOUNDS)]
    hourly = parts[1] == "*"

    def meant(local):
        found = [local.minute, local.hour, local.day, local.month, local.isoweekday() % 7]
        return all(value in values for value, values in zip(found, fields))

    zone = ZoneInfo(zone)
    at = datetime.fromtimestamp(begin, timezone.utc)
    before = at.astimezone(zone).replace(tzinfo=None)
    found = []
    for _ in range(minutes):
        at += timedelta(minutes=1)
        here = at.astimezone(zone)
        local = here.replace(tzinfo=None)
        skipped = before + timedelta(minutes=1)
        is_due = meant(local) and (hourly or here.fold == 0)
        while skipped < local:
            is_due = is_due or (not hourly and meant(skipped))
            skipped += timedelta(minutes=1)
        if is_due:
            found.append(int(at.timestamp()))
        before = local
    return found


json.dump([due(*case) for case in json.load(sys.stdin)], sys.stdout)
