"""A graph of ten agents with twenty calls of tools in LangGraph, with its SQLite checkpointer.

Takes how many runs to measure, the port of the model, and the file of the checkpoints. Written as one would write it in
LangGraph: an agent is a graph of its own with a node for its model and one for its tools, each step is a checkpoint that is on
disk before the next begins, and agents of one stage run side by side. The model is asked over a kept connection, as the other
side does. Three runs warm up; prints the processor time of the others, the peak memory of the process and the last answer.
"""

import http.client
import json
import resource
import sqlite3
import sys
import threading
import time
from operator import add, or_
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

WIDTH = 4
WARM_UP = 3


class Agent(TypedDict):
    messages: Annotated[list, add]


class Found(TypedDict):
    question: str
    answers: Annotated[dict, or_]


class Model:
    """Asks the model; each thread keeps its connection."""

    def __init__(self, port):
        self.port = port
        self.own = threading.local()

    def ask(self, messages):
        connection = getattr(self.own, "connection", None)
        if connection is None:
            connection = self.own.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        body = {"model": "bench", "messages": messages, "tools": TOOLS}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        return json.loads(connection.getresponse().read())["choices"][0]["message"]


TOOLS = [{"type": "function", "function": {"name": "transform_data", "description": "Sorts and limits rows.", "parameters": {"type": "object"}}}]


def transform_data(data, operations):
    for operation in operations:
        if operation["type"] == "sort":
            data = sorted(data, key=lambda row: row[operation["field"]], reverse=operation["direction"] == "desc")
        else:
            data = data[: operation["value"]]
    return {"data": data, "count": len(data)}


def call(tool_call):
    arguments = json.loads(tool_call["function"]["arguments"])
    return {"role": "tool", "tool_call_id": tool_call["id"], "content": json.dumps(transform_data(**arguments))}


def agent(model):
    builder = StateGraph(Agent)
    builder.add_node("model", lambda state: {"messages": [model.ask(state["messages"])]})
    builder.add_node("tools", lambda state: {"messages": [call(one) for one in state["messages"][-1]["tool_calls"]]})
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].get("tool_calls") else END, ["tools", END])
    builder.add_edge("tools", "model")
    return builder.compile()


def node(compiled, name, uses):
    def run(state):
        shown = {"question": state["question"], "found": [state["answers"][used] for used in uses]}
        messages = [
            {"role": "system", "content": "Name the two largest funds."},
            {"role": "user", "content": json.dumps(shown)},
        ]
        last = compiled.invoke({"messages": messages})["messages"][-1]
        return {"answers": {name: json.loads(last["content"])["answer"]}}

    return run


def graph(model, saver):
    compiled = agent(model)
    first = [f"a{n}" for n in range(WIDTH)]
    second = [f"b{n}" for n in range(WIDTH)]
    uses = {name: [] for name in first}
    uses |= {name: [first[n], first[(n + 1) % WIDTH]] for n, name in enumerate(second)}
    uses |= {"c": second, "d": ["c"]}
    builder = StateGraph(Found)
    for name, used in uses.items():
        builder.add_node(name, node(compiled, name, used))
    for name in first:
        builder.add_edge(START, name)
    for name in second:
        builder.add_edge(first, name)
    builder.add_edge(second, "c")
    builder.add_edge("c", "d")
    builder.add_edge("d", END)
    return builder.compile(checkpointer=saver)


def main():
    runs, port, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    connection = sqlite3.connect(file, check_same_thread=False)
    compiled = graph(Model(port), SqliteSaver(connection))
    asked = {"question": "Which funds are the largest?", "answers": {}}
    run = lambda nth: compiled.invoke(asked, {"configurable": {"thread_id": f"run-{nth}"}}, durability="sync")
    for nth in range(WARM_UP):
        run(f"first-{nth}")
    before = time.process_time()
    for nth in range(runs):
        last = run(nth)
    seconds = time.process_time() - before
    kept = connection.execute("select count(*) from checkpoints").fetchone()[0]
    # A checkpoint for each of five stages, and for each of three steps of ten agents.
    if kept < runs * (5 + 3 * 10):
        raise SystemExit(f"{kept} checkpoints of {runs} runs")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "answer": last["answers"]["d"]}))


main()
