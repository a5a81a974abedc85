"""A partner for each of many, in pairs that are allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def perfect(vertices: Sequence[int], edges: Mapping[int, set[int]]) -> dict[int, int] | None:
    """Return a partner for each vertex of a graph: a perfect matching by Edmonds' blossoms; None if there is none."""
    mate: dict[int, int] = {}
    for one in vertices:  # most are matched at once
        other = next(
            (other for other in vertices if one not in mate and other in edges[one] and other not in mate), None
        )
        if other is not None:
            mate[one], mate[other] = other, one
    for root in vertices:
        if root not in mate and not _augment(root, vertices, edges, mate):
            return None
    return mate


def _augment(root: int, vertices: Sequence[int], edges: Mapping[int, set[int]], mate: dict[int, int]) -> bool:
    """Match one more vertex along an augmenting path from `root`; return whether there is one."""
    parent: dict[int, int] = {}
    base = {vertex: vertex for vertex in vertices}
    outer, queue = {root}, [root]

    def common(a: int, b: int) -> int:
        seen = set()
        while True:
            a = base[a]
            seen.add(a)
            if a == root:
                break
            a = parent[mate[a]]
        while base[b] not in seen:
            b = parent[mate[base[b]]]
        return base[b]

    def mark(vertex: int, top: int, child: int, blossom: set[int]) -> None:
        while base[vertex] != top:
            blossom |= {base[vertex], base[mate[vertex]]}
            parent[vertex] = child
            child = mate[vertex]
            vertex = parent[mate[vertex]]

    for vertex in queue:
        for other in sorted(edges[vertex]):
            if base[vertex] == base[other] or mate.get(vertex) == other:
                continue
            if other == root or (other in mate and mate[other] in parent):
                top = common(vertex, other)
                blossom: set[int] = set()
                mark(vertex, top, other, blossom)
                mark(other, top, vertex, blossom)
                for one in vertices:
                    if base[one] in blossom:
                        base[one] = top
                        if one not in outer:
                            outer.add(one)
                            queue.append(one)
            elif other not in parent:
                parent[other] = vertex
                if other in mate:
                    outer.add(mate[other])
                    queue.append(mate[other])
                    continue
                last: int | None = other
                while last is not None:
                    before = parent[last]
                    following = mate.get(before)
                    mate[last], mate[before] = before, last
                    last = following
                return True
    return False
