import numpy as np
from numpy.typing import NDArray

def find_usual(rows: NDArray[np.float32]) -> NDArray[np.float32]: ...
def multiply(
    rows: NDArray[np.float32], usual: NDArray[np.float32], matrix: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]: ...
def multiply_around(
    rows: NDArray[np.float32],
    usual: NDArray[np.float32],
    begin: int,
    own: int,
    around: NDArray[np.int64],
    matrix: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]: ...
