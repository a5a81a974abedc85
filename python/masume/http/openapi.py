"""Descriptions of servers for programs, in OpenAPI 3.1, made of the operations of which their routes are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {"type": "object", "additionalProperties": True}
PARAMETER = re.compile(r"\{(\w+)\}")


class Operation(NamedTuple):
    """What a server does at an address.

    method, path : the request; a path has parameters such as {id}. handler : what answers it. summary : what it does;
    empty: it is not described. answer, body, query : schemas of the answer of status 200, of the body of the request,
    and of its parameters by name. security : the scheme that it needs. media : the type of the answer.
    """

    method: str
    path: str
    handler: Callable[..., Any] | None
    summary: str = ""
    answer: Schema = ANY
    body: Schema | None = None
    query: Mapping[str, Schema] = {}
    security: str = ""
    media: str = "application/json"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The path as a regular expression, with a group for each parameter."""
        return re.compile(PARAMETER.sub("([^/]+)", self.path))

    def describe(self, refusal: Schema) -> dict[str, Any]:
        """Return the operation as an object of OpenAPI."""
        answers = {
            "200": {"description": "success", "content": {self.media: {"schema": self.answer}}},
            "default": {"description": "refused", "content": {"application/json": {"schema": refusal}}},
        }
        found: dict[str, Any] = {"summary": self.summary, "responses": answers}
        if self.body is not None:
            found["requestBody"] = {"required": True, "content": {"application/json": {"schema": self.body}}}
        if self.security:
            found["security"] = [{self.security: []}]
        if self.query:
            found["parameters"] = [{"name": name, "in": "query", "schema": one} for name, one in self.query.items()]
        return found


def describe(
    title: str, url: str, base: str, operations: Iterable[Operation], refusal: Schema, components: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the document of the operations below `url`; base : of the server, as in Front."""
    paths: dict[str, Any] = {}
    for one in operations:
        if one.summary:
            names = PARAMETER.findall(one.path)
            given = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names]
            found = paths.setdefault(one.path.removeprefix(url), {"parameters": given} if given else {})
            found[one.method.lower()] = one.describe(refusal)
    info = {"title": title, "version": "0.1"}
    return {
        "openapi": "3.1.1", "info": info, "servers": [{"url": base + url}], "paths": paths, "components": components,
    }  # fmt: skip


def ref(name: str) -> Schema:
    """Return the schema of this name among the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def array(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def or_null(kind: str) -> Schema:
    """Return the schema of a value of this type, or null."""
    return {"type": [kind, "null"]}


def members(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> dict[str, Any]:
    """Return the schema of an object with these members."""
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}
