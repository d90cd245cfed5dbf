"""docs/plugin_protocol.schema.json, and a validator for the keywords that it uses."""

import json
import pathlib

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/plugin_protocol.schema.json").read_text())
DEFS = SCHEMA["$defs"]

_KEYWORDS = {"description", "type", "properties", "required", "items", "allOf", "anyOf", "const", "enum",
             "additionalProperties", "$ref"}
_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def wrong(message, name):
    """Says what is wrong with a message of that name; None if nothing is."""
    return _wrong(message, DEFS[name], name)


def _wrong(value, schema, path):
    if isinstance(schema, bool):
        return None if schema else f"{path} is not allowed"
    assert schema.keys() <= _KEYWORDS, schema.keys()
    problems = [_wrong(value, part, path) for part in schema.get("allOf", ())]
    if "$ref" in schema:
        problems.append(_wrong(value, DEFS[schema["$ref"].removeprefix("#/$defs/")], path))
    if "anyOf" in schema and None not in (tried := [_wrong(value, one, path) for one in schema["anyOf"]]):
        problems += tried
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        problems.append(f"{path} is no {kind}: {value!r}")
    if "enum" in schema and value not in schema["enum"]:
        problems.append(f"{path} is unknown: {value!r}")
    if "const" in schema and value != schema["const"]:
        problems.append(f"{path} is not {schema['const']!r}: {value!r}")
    if isinstance(value, dict):
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        problems += [f"{path} lacks {key}" for key in schema.get("required", ()) if key not in value]
        problems += [_wrong(member, properties.get(key, others), f"{path}.{key}") for key, member in value.items()]
    if isinstance(value, list) and "items" in schema:
        problems += [_wrong(entry, schema["items"], f"{path}[{index}]") for index, entry in enumerate(value)]
    return next((problem for problem in problems if problem), None)
