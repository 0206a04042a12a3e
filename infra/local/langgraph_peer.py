"""Ten steps over the rows on standard input in LangGraph, with its SQLite checkpointer: the runs to measure, then the file.

Written as one would write it in LangGraph: a node per step, one channel, a checkpoint that is on disk before the next step
begins. One run warms up; prints the processor time of the others, the peak memory of the process and the last step's rows.
"""

import json
import resource
import sqlite3
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    rows: list


def step(descending):
    return lambda state: {"rows": sorted(state["rows"], key=lambda row: row["amount"], reverse=descending)}


def graph(steps, saver):
    builder = StateGraph(State)
    names = [f"s{nth}" for nth in range(steps)]
    for nth, name in enumerate(names):
        builder.add_node(name, step(nth % 2 == 0))
    for before, after in zip([START, *names], [*names, END]):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=saver)


def main():
    runs, steps, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rows = json.load(sys.stdin)
    connection = sqlite3.connect(file, check_same_thread=False)
    compiled = graph(steps, SqliteSaver(connection))
    run = lambda nth: compiled.invoke(
        {"rows": rows}, {"configurable": {"thread_id": f"run-{nth}"}}, durability="sync"
    )
    run("first")
    before = time.process_time()
    for nth in range(runs):
        last = run(nth)
    seconds = time.process_time() - before
    kept = connection.execute("select count(*) from checkpoints").fetchone()[0]
    if kept < (runs + 1) * steps:
        raise SystemExit(f"{kept} checkpoints of {runs + 1} runs of {steps} steps")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "rows": last["rows"]}))


main()
