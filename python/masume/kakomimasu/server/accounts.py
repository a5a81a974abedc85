"""The accounts of a match server, found by id, name or token. [section 14.2]"""

from __future__ import annotations

import dataclasses
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.files import write_atomic
from ...errors import ConfigError, ConfigTypeError


@dataclasses.dataclass
class User:
    """An account. [section 14.2]

    Attributes
    ----------
    id, name : str
        Identifiers, unique among the accounts.
    screen_name, avatar_url : str
        Name and picture to show.
    token : str
        Bearer token of the account; a random UUID by default.
    address : str or None
        Address of the client that created the account; None for an account of the server's file.
    sessions : dict of str to float
        Ids of its sessions, and when each ends in Unix seconds.
    is_token_given : bool
        Whether the token was given and not drawn.
    """

    id: str
    name: str
    screen_name: str
    avatar_url: str = ""
    token: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    address: str | None = None
    sessions: dict[str, float] = dataclasses.field(default_factory=dict)
    is_token_given: bool = False

    @property
    def label(self) -> str:
        """Name to show to people."""
        return self.screen_name or self.name

    @classmethod
    def make(cls, found: Mapping[str, Any]) -> User:
        """Return the account that a JSON object describes.

        Parameters
        ----------
        found : mapping
            An object with `name` and, optionally, `screenName`, `id`, `avaterUrl` and `bearerToken`; other keys are
            ignored.

        Raises
        ------
        ConfigError
            If a value is not a string, or the name, id or token is empty; the message begins with the key.
        """
        for key in ("name", "screenName", "id", "avaterUrl", "bearerToken"):
            if key in found and not isinstance(found[key], str):
                raise ConfigTypeError(f"{key}: expected a string, got {found[key]!r}")
        for key in ("name", "id", "bearerToken"):
            if not found.get(key, key != "name"):
                raise ConfigError(f"{key}: empty or missing")
        user = cls(found.get("id", str(uuid.uuid4())), found["name"], found.get("screenName", found["name"]))
        user.avatar_url = found.get("avaterUrl", user.avatar_url)
        user.token = found.get("bearerToken", user.token)
        user.is_token_given = "bearerToken" in found
        return user


class Accounts:
    """All accounts in the order of creation; each token belongs to one account.

    The id of one account is never the name of another, so an id or a name identifies one account.
    """

    def __init__(self, users: Iterable[User] = ()) -> None:
        self._by_id: dict[str, User] = {}
        self._by_either: dict[str, User] = {}
        self._by_token: dict[str, User] = {}
        self._by_session: dict[str, User] = {}
        for user in users:
            self.add(user)

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_id.values())

    def is_known(self, user: User) -> bool:
        """Return whether an account uses its token or a session of it, or uses its id or name as id or name."""
        if any(session in self._by_session for session in user.sessions):
            return True
        return user.id in self._by_either or user.name in self._by_either or user.token in self._by_token

    def add(self, user: User) -> None:
        """Add an account; raise ConfigError if another has its name, id, token or session."""
        if self.is_known(user):
            raise ConfigError(f"users: {user.name!r}: another has the name, the id, the token or a session")
        self._by_id[user.id] = self._by_token[user.token] = user
        self._by_either[user.id] = self._by_either[user.name] = user
        self._by_session |= dict.fromkeys(user.sessions, user)

    def remove(self, user: User) -> None:
        """Remove an account and its sessions."""
        del self._by_id[user.id], self._by_token[user.token]
        for one in {user.id, user.name}:
            del self._by_either[one]
        for session in list(user.sessions):
            self.sign_out(session)

    def change_token(self, user: User) -> None:
        """Give an account a new token; the old one becomes invalid."""
        del self._by_token[user.token]
        user.token = str(uuid.uuid4())
        self._by_token[user.token] = user

    def with_token(self, token: str | None) -> User | None:
        """Return the account with this token, or None."""
        return None if token is None else self._by_token.get(token)

    def with_session(self, session: str | None, now: float) -> User | None:
        """Return the account with this session, or None; `now` is in Unix seconds."""
        user = None if session is None else self._by_session.get(session)
        if user is None or session is None or user.sessions[session] > now:
            return user
        self.sign_out(session)
        return None

    def sign_out(self, session: str) -> None:
        """End a session."""
        del self._by_session.pop(session).sessions[session]

    def find(self, id_or_name: str) -> User | None:
        """Return the account with this id or this name, or None."""
        return self._by_either.get(id_or_name)


def read_users(path: Path) -> list[User]:
    """Return the accounts of a file; raise ConfigError, which names the file, if it contains anything else."""
    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ConfigError("expected an array of objects")
        return [User.make(one) for one in found]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"users: {path}: {error}") from None


def write_users(path: Path, users: Sequence[User]) -> None:
    """Write the accounts with their tokens into a file that nobody else on the machine may read."""
    found = [
        {"name": user.name, "screenName": user.screen_name, "id": user.id, "avaterUrl": user.avatar_url,
         "bearerToken": user.token}
        for user in users
    ]  # fmt: skip
    write_atomic(path, (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode(), 0o600)
