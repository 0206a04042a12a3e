"""Maps one file as a connector says: the rules as JSON, the file, the library, and perhaps where JSON Lines go. Prints what
`countersign bench map-file` prints.

Written as one would write it in Python: lxml for XML, orjson for JSON, csv for CSV, paths compiled once, a list of dicts out.
polars reads, converts and writes CSV by itself.
"""

import csv
import datetime
import json
import resource
import sys
import time


def number(text):
    plain = text.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        return float(plain)


def boolean(text):
    if text in ("true", "TRUE", "True", "1", "X", "x"):
        return True
    if text in ("false", "FALSE", "False", "0"):
        return False
    raise ValueError(text)


def date(text):
    datetime.date.fromisoformat(text[:10])
    return text if text[10:11] == "T" else text[:10]


READ = {"string": str, "number": number, "integer": int, "boolean": boolean, "date": date}


def typed(value, kind):
    if value is None or kind is None:
        return value
    if kind == "string":
        return value if isinstance(value, str) else str(value)
    if kind == "number" and isinstance(value, (int, float)):
        return value
    if kind == "boolean" and isinstance(value, bool):
        return value
    try:
        return READ[kind](value)
    except ValueError:
        return None


def read_json(rules, path):
    import orjson

    with open(path, "rb") as file:
        found = orjson.loads(file.read())
    for key in rules["list"]:
        found = found[key]
    fields = [(rule["field"], rule["paths"], rule["type"]) for rule in rules["fields"]]
    records = []
    for item in found:
        record = {}
        for field, paths, kind in fields:
            value = None
            for keys in paths:
                value = item
                for key in keys:
                    value = value.get(key) if isinstance(value, dict) else None
                    if value is None:
                        break
                if value is not None:
                    break
            record[field] = typed(value, kind)
        records.append(record)
    return records


def read_xml(rules, path):
    from lxml import etree

    heads = {"anywhere": "//", "root": "/", "child": "", "below": ".//"}

    def compiled(paths):
        # Filings differ in namespaces and mean the same, so paths match by local name.
        steps = lambda names: "/".join("*" if name == "*" else f"*[local-name()='{name}']" for name in names)
        return [etree.XPath(heads[anchor] + steps(names)) for anchor, names in paths]

    def text_of(element):
        return " ".join(" ".join(element.itertext()).split())

    def value_of(element, paths, kind):
        for path in paths:
            for found in path(element):
                text = text_of(found)
                if text:
                    return typed(text, kind)
        return None

    tree = etree.parse(path)
    document = tree.getroot()
    fields = [(rule["field"], compiled(rule["paths"]), rule["type"]) for rule in rules["fields"]]
    context = {
        rule["field"]: value_of(document, compiled(rule["paths"]), rule["type"]) for rule in rules["context"]
    }
    roots = [etree.XPath("/" + "/".join(f"*[local-name()='{name}']" for name in names)) for _, names in rules["root"]]
    records = []
    for root in roots:
        for base in root(document):
            for path in compiled(rules["list"]):
                for element in path(base):
                    record = {field: value_of(element, paths, kind) for field, paths, kind in fields}
                    record.update(context)
                    records.append(record)
    return records


def read_csv(rules, path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        places = {name: place for place, name in enumerate(next(rows))}
        fields = [(rule["field"], [places[name] for name in rule["columns"]], rule["type"]) for rule in rules["fields"]]
        records = []
        for row in rows:
            record = {}
            for field, columns, kind in fields:
                text = next((row[place] for place in columns if row[place]), None)
                record[field] = typed(text, kind)
            records.append(record)
    return records


def write_lines(records, place):
    import orjson

    with open(place, "wb") as out:
        for record in records:
            out.write(orjson.dumps(record))
            out.write(b"\n")


def polars_csv(rules, path, place):
    import polars as pl

    def converted(rule):
        text = pl.coalesce([pl.when(pl.col(name) != "").then(pl.col(name)) for name in rule["columns"]])
        kind = rule["type"]
        if kind == "number":
            text = text.str.replace_all(",", "", literal=True).cast(pl.Float64, strict=False)
        elif kind == "integer":
            text = text.cast(pl.Int64, strict=False)
        elif kind == "boolean":
            true, false = text.is_in(["true", "TRUE", "1", "X"]), text.is_in(["false", "FALSE", "0"])
            text = pl.when(true).then(True).when(false).then(False)
        elif kind == "date":
            text = text.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
        return text.alias(rule["field"])

    frame = pl.read_csv(path, infer_schema=False).select([converted(rule) for rule in rules["fields"]])
    frame.write_ndjson(place)
    ends = pl.concat([frame.head(1), frame.tail(1)]).write_ndjson().strip().split("\n")
    return len(frame), json.loads(ends[0]), json.loads(ends[1])


READERS = {"xml": read_xml, "json": read_json, "csv": read_csv}


def main():
    rules, path, library = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
    lines = sys.argv[4] if len(sys.argv) > 4 else None
    # Importing is not mapping.
    for name in {"lxml": ["lxml.etree"], "orjson": ["orjson"], "csv": ["orjson"], "polars": ["polars"]}[library]:
        __import__(name)
    started = time.perf_counter()
    if library == "polars":
        count, first, last = polars_csv(rules, path, lines)
    else:
        records = READERS[rules["kind"]](rules, path)
        if lines:
            write_lines(records, lines)
        count, first, last = len(records), records[0], records[-1]
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": count, "seconds": seconds, "peak_mb": peak, "first": first, "last": last}))


main()
