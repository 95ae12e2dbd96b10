#!/usr/bin/env python3
"""Validates every line of a record against the OCP Test & Validation 2.0 JSON Schemas.

usage: validate_ocp.py SCHEMA_FOLDER EVENTS_JSONL; exit 0 when all lines are valid, 1 when not, 77 without python3-jsonschema
"""
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)


def validator_for(folder):
    schemas = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    root = next(schema for schema in schemas if schema["$id"].endswith("/output"))
    try:
        from referencing import Registry, Resource

        registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas)
        return Draft202012Validator(root, registry=registry)
    except ImportError:  # jsonschema before 4.18
        from jsonschema import RefResolver

        return Draft202012Validator(root, resolver=RefResolver.from_schema(root, store={s["$id"]: s for s in schemas}))


def main(folder, record):
    validator = validator_for(folder)
    bad = 0
    count = 0
    for number, line in enumerate(open(record, encoding="utf-8"), 1):
        count += 1
        for error in validator.iter_errors(json.loads(line)):
            print(f"{record}:{number}: {error.message[:400]}\n  {line[:400]}")
            bad += 1
    print(f"{count} lines, {bad} errors")
    return 1 if bad or not count else 0


sys.exit(main(sys.argv[1], sys.argv[2]))
