"""schema.py SCHEMA FILE... - validates JSON files against a JSON Schema.

Implements only the keywords that our schemas use. Any other keyword is an error, so that nothing stays unchecked.
"""

import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}
SILENT = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    if name == "integer" and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def check(value, schema, root, at):
    """Yields the violations."""
    for word, want in schema.items():
        if word in SILENT:
            continue
        if word == "$ref":
            target = root
            for part in want.removeprefix("#/").split("/"):
                target = target[part]
            yield from check(value, target, root, at)
        elif word == "type":
            if not any(is_type(value, t) for t in ([want] if isinstance(want, str) else want)):
                yield f"{at}: {value!r} is not of type {want}"
        elif word == "const":
            if value != want:
                yield f"{at}: {value!r} is not {want!r}"
        elif word == "enum":
            if value not in want:
                yield f"{at}: {value!r} is not one of {want}"
        elif word == "pattern":
            if isinstance(value, str) and not re.search(want, value):
                yield f"{at}: {value!r} does not match {want}"
        elif word == "minimum":
            if isinstance(value, int) and value < want:
                yield f"{at}: {value} is below {want}"
        elif word == "minItems":
            if isinstance(value, list) and len(value) < want:
                yield f"{at}: {len(value)} items, expected at least {want}"
        elif word == "required":
            for name in want:
                if isinstance(value, dict) and name not in value:
                    yield f"{at}: required field {name} is missing"
        elif word == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from check(item, want, root, f"{at}[{i}]")
        elif word == "properties":
            for name, sub in want.items():
                if isinstance(value, dict) and name in value:
                    yield from check(value[name], sub, root, f"{at}.{name}")
        elif word == "additionalProperties":
            known = schema.get("properties", {})
            for name, item in value.items() if isinstance(value, dict) else ():
                if name not in known:
                    yield from check(item, want, root, f"{at}.{name}")
        else:
            yield f"{at}: unknown keyword {word} in the schema"


def undocumented(value, schema, root, at):
    """Yields the fields that the schema does not describe."""
    while "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    if isinstance(value, dict) and "additionalProperties" not in schema:
        for name, item in value.items():
            if name not in schema.get("properties", {}):
                yield f"{at}.{name} is not in the schema"
            else:
                yield from undocumented(item, schema["properties"][name], root, f"{at}.{name}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from undocumented(item, schema.get("items", {}), root, f"{at}[{i}]")


def main():
    schema = json.load(open(sys.argv[1]))
    wrong = []
    for path in sys.argv[2:]:
        value = json.load(open(path))
        wrong += check(value, schema, schema, path)
        wrong += undocumented(value, schema, schema, path)
    print("\n".join(wrong) if wrong else f"{len(sys.argv) - 2} files match the schema")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
