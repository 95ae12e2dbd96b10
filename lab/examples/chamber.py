#!/usr/bin/env python3
import json, sys
chamber = {"air": 25.0, "heater": False}
for line in sys.stdin:
    ask = json.loads(line); name = ask.get("name"); answer = {"id": ask["id"], "ok": True}
    if ask["do"] == "hello": answer.update(name="chamber", serial_number="1729", readings={"air": "degC"}, settings={"air": {"unit": "degC", "min": -40, "max": 125}}, outputs=["heater"])
    elif ask["do"] in ("read", "get", "state"): answer["value"] = chamber[name]
    elif ask["do"] == "set": chamber[name] = ask["value"]
    else: chamber[name] = ask["do"] == "on"
    print(json.dumps(answer), flush=True)
