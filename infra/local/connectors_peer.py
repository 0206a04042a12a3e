"""Maps one file as a connector says: the rules as JSON, then the file. Prints what `countersign bench map-file` prints.

Written as one would write it in Python: lxml for XML, json for JSON, paths compiled once, a list of dicts out.
"""

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
    with open(path, "rb") as file:
        found = json.load(file)
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


def main():
    rules = json.loads(sys.argv[1])
    if rules["kind"] == "xml":
        import lxml.etree  # noqa: F401  Importing is not mapping.
    started = time.perf_counter()
    records = (read_xml if rules["kind"] == "xml" else read_json)(rules, sys.argv[2])
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({
        "rows": len(records), "seconds": seconds, "peak_mb": peak, "first": records[0], "last": records[-1],
    }))


main()
