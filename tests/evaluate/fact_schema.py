"""docs/facts.schema.json, and a validator for the keywords that it uses."""

import json
import pathlib

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/facts.schema.json").read_text())

_KEYWORDS = {"$schema", "title", "description", "$defs", "type", "properties", "required", "items",
             "allOf", "anyOf", "if", "then", "const", "enum", "additionalProperties", "$ref"}
_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def check(verdict):
    """Fails if the schema refuses the verdict."""
    problem = wrong(verdict, SCHEMA)
    assert problem is None, problem


def wrong(value, schema):
    """Returns what is wrong with a value; None if nothing is."""
    if isinstance(schema, bool):
        return None if schema else "not allowed"
    assert schema.keys() <= _KEYWORDS, schema.keys()
    if "$ref" in schema:
        return wrong(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind])
                 or (kind == "integer" and isinstance(value, bool))):
        return f"{value!r} is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        return f"{value!r} is not {schema['const']!r}"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                return f"lacks {name}: {value}"
        for name, member in value.items():
            if name in properties:
                problem = wrong(member, properties[name])
                if problem:
                    return f"{name}: {problem}"
            elif schema.get("additionalProperties") is False:
                return f"unknown {name}: {value}"
    if isinstance(value, list) and "items" in schema:
        for item in value:
            if problem := wrong(item, schema["items"]):
                return problem
    for one in schema.get("allOf", ()):
        if problem := wrong(value, one):
            return problem
    if "anyOf" in schema and all(wrong(value, one) for one in schema["anyOf"]):
        return f"{value} is none of the alternatives"
    if "if" in schema and wrong(value, schema["if"]) is None:
        return wrong(value, schema["then"])
    return None
