"""Invokes a function of the local stack with one event after the other: an event a line, and its answer a line."""

import sys

from botocore.session import get_session

client = get_session().create_client("lambda")
for line in sys.stdin:
    answer = client.invoke(FunctionName=sys.argv[1], Payload=line.encode())
    said = answer["Payload"].read().decode()
    if "FunctionError" in answer:
        sys.exit(f"{sys.argv[1]} failed: {said}")
    print(said, flush=True)
