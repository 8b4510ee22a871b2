#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Documents of kverbs against docs/schema, by a validator that is not of this project."""

import json
import os
import sys
import warnings

import jsonschema

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMAS = os.path.join(TOP, "docs/schema")


def load(path):
    """JSON as programs want it: no NaN, no key twice."""
    def once(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key is there twice")
        return dict(pairs)

    def never(name):
        raise ValueError(f"{name} is no JSON")

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=once, parse_constant=never)


def schema_of(document):
    """The schema that a document names."""
    name = document.get("schema") if isinstance(document, dict) else None
    return load(os.path.join(SCHEMAS, f"{str(name).replace('/', '-')}.json"))


def complaints(document):
    """What is wrong with a document: lines, none when it is valid."""
    schema = schema_of(document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(f"file://{SCHEMAS}/", schema)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
                for e in validator.iter_errors(document)]


def main():
    bad = 0
    for path in sys.argv[1:]:
        for line in complaints(load(path)):
            print(f"{path}: {line}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
