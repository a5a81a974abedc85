"""Values of the schemas of a server's description: whether one fits, and how to draw one."""

from hypothesis import strategies as st

KINDS = {
    "string": str, "integer": int, "number": int | float, "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _found(schema, schemas):
    return _found(schemas[schema["$ref"].rpartition("/")[2]], schemas) if "$ref" in schema else schema


def fits(schema, value, schemas):
    """Return whether a value fits a schema; only the words that descriptions use."""
    schema = _found(schema, schemas)
    if "oneOf" in schema:
        return sum(fits(one, value, schemas) for one in schema["oneOf"]) == 1
    if "enum" in schema:
        return value in schema["enum"]
    wanted = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, KINDS[kind]) and (kind == "boolean") >= isinstance(value, bool) for kind in wanted):
        return False
    if isinstance(value, list):
        return "items" not in schema or all(fits(schema["items"], one, schemas) for one in value)
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", False)
        if not set(schema.get("required", ())) <= set(value):
            return False
        more = [one for key, one in value.items() if key not in known]
        is_more = others is True or not more or bool(others and all(fits(others, one, schemas) for one in more))
        return is_more and all(fits(one, value[key], schemas) for key, one in known.items() if key in value)
    if isinstance(value, str):
        return len(value) <= schema.get("maxLength", len(value))
    return not isinstance(value, int) or schema.get("minimum", value) <= value <= schema.get("maximum", value)


def values(schema, schemas):
    """Return the strategy that draws values of a schema."""
    schema = _found(schema, schemas)
    if "oneOf" in schema:
        return st.one_of([values(one, schemas) for one in schema["oneOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([_of_kind(kind, schema, schemas) for kind in kinds])


def _of_kind(kind, schema, schemas):
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind == "object":
        required = {key: values(schema["properties"][key], schemas) for key in schema.get("required", ())}
        optional = {
            key: values(one, schemas) for key, one in schema.get("properties", {}).items() if key not in required
        }
        return st.fixed_dictionaries(required, optional=optional)
    if kind == "array":
        return st.lists(values(schema["items"], schemas) if "items" in schema else JUNK, max_size=6)
    return {
        "string": st.text(max_size=min(schema.get("maxLength", 40), 40)),
        "integer": st.integers(-(2**40) if low is None else low, 2**40 if high is None else high),
        "number": st.floats(0 if low is None else low, 1e6 if high is None else high),
        "boolean": st.booleans(),
        "null": st.none(),
    }[kind]
