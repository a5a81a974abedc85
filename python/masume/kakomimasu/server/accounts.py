"""The accounts of a match server: who they are, by their id, their name and their token. [section 14.2]"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import ConfigError, ConfigTypeError


@dataclasses.dataclass
class User:
    """An account; `id` and `name` are its own. [section 14.2]

    address : of the client that made it, None for one of the server's file.
    """

    id: str
    name: str
    screen_name: str
    avatar_url: str = ""
    token: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    address: str | None = None

    @classmethod
    def make(cls, found: Mapping[str, Any]) -> User:
        """The account of an object with `name` and, if one likes, `screenName`, `id`, `avaterUrl`, `bearerToken`.

        ConfigError, which begins with the key, for a value that is no string, or an empty name, id or token.
        """
        for key in ("name", "screenName", "id", "avaterUrl", "bearerToken"):
            if key in found and not isinstance(found[key], str):
                raise ConfigTypeError(f"{key}: a string is wanted, not {found[key]!r}")
        for key in ("name", "id", "bearerToken"):
            if not found.get(key, key != "name"):
                raise ConfigError(f"{key}: it is empty or missing")
        user = cls(found.get("id", str(uuid.uuid4())), found["name"], found.get("screenName", found["name"]))
        user.avatar_url = found.get("avaterUrl", user.avatar_url)
        user.token = found.get("bearerToken", user.token)
        return user


class Accounts:
    """All of them, in the order in which they were made; tokens are theirs alone.

    What is the id of one is not the name of another: whoever names an account by either means one.
    """

    def __init__(self, users: Iterable[User] = ()) -> None:
        self._by_id: dict[str, User] = {}
        self._by_either: dict[str, User] = {}
        self._by_token: dict[str, User] = {}
        for user in users:
            self.add(user)

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_id.values())

    def is_known(self, user: User) -> bool:
        """Whether an account has its id or its name, as either of them, or its token."""
        return user.id in self._by_either or user.name in self._by_either or user.token in self._by_token

    def add(self, user: User) -> None:
        """Keep an account; ConfigError where another is in its way."""
        if self.is_known(user):
            raise ConfigError(f"users: {user.name!r}: another has the name, the id or the token")
        self._by_id[user.id] = self._by_token[user.token] = user
        self._by_either[user.id] = self._by_either[user.name] = user

    def remove(self, user: User) -> None:
        """Forget an account."""
        del self._by_id[user.id], self._by_token[user.token]
        for one in {user.id, user.name}:
            del self._by_either[one]

    def change_token(self, user: User) -> None:
        """Give an account a new token; the old one is nobody's."""
        del self._by_token[user.token]
        user.token = str(uuid.uuid4())
        self._by_token[user.token] = user

    def with_token(self, token: str | None) -> User | None:
        """The account with this token."""
        return None if token is None else self._by_token.get(token)

    def find(self, id_or_name: str) -> User | None:
        """The account with this id or this name."""
        return self._by_either.get(id_or_name)
