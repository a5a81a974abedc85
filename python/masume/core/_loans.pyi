from typing import Any, Self, final

from numpy.typing import DTypeLike, NDArray

@final
class Loan: ...

@final
class Lender:
    def __new__(cls, shape: tuple[int, ...], dtype: DTypeLike) -> Self: ...
    def take(self) -> NDArray[Any]: ...
