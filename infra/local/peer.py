"""A Python function as small as one gets: imports what it is told, then asks the Runtime API for its first event."""

import http.client
import importlib
import os
import sys

for name in sys.argv[1:]:
    importlib.import_module(name)
# What a function of ours does before its first event: a client for its table.
importlib.import_module("boto3").client("dynamodb")
connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
connection.request("GET", "/2018-06-01/runtime/invocation/next")
connection.getresponse()
