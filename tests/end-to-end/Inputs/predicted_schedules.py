"""The schedules that a bundle of compile-schedules was made with, a line each: PREDICTIONS.json TABLE BUNDLE."""

import json
import sys

_, path, table, bundle = sys.argv
with open(path, encoding="utf-8") as file:
    for entry in json.load(file):
        if (entry["table"], entry["bundle"]) == (table, bundle):
            print(*(one["schedule"] for one in entry["schedules"]), sep="\n")
