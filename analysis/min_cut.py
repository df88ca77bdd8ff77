"""
Minimum cuts of directed graphs with capacities.

Dinic's algorithm: find all shortest ways from source to sink that have capacity left, fill
them, and start again until there are none. What the source still reaches is one side of
the cut with the least capacity.
"""

from collections import deque

UNLIMITED = 1 << 60


class FlowGraph:
    """
    A graph of numbered nodes; 0 is the source and 1 the sink.

    Example:

    ```python
    graph = FlowGraph()
    node = graph.node()
    graph.edge(0, node, 3)
    graph.edge(node, 1, 5)
    graph.source_side()[node]  # False: the edge of 3 is cut
    ```
    """

    def __init__(self) -> None:
        self._edges: list[list[int]] = [[], []]
        self._targets: list[int] = []
        self._left: list[int] = []

    def node(self) -> int:
        """A new node."""
        self._edges.append([])
        return len(self._edges) - 1

    def edge(self, start: int, end: int, capacity: int) -> None:
        """A new edge; its way back is its neighbour in the list, with the number xor 1."""
        for origin, target, left in ((start, end, capacity), (end, start, 0)):
            self._edges[origin].append(len(self._targets))
            self._targets.append(target)
            self._left.append(left)

    def source_side(self) -> list[bool]:
        """For each node, whether it is on the source's side of a minimum cut."""
        levels = self._levels()
        while levels[1] >= 0:
            self._fill(levels)
            levels = self._levels()
        return [level >= 0 for level in levels]

    def _levels(self) -> list[int]:
        """Each node's distance from the source, -1 if it cannot be reached."""
        levels = [-1] * len(self._edges)
        levels[0] = 0
        pending = deque([0])
        while pending:
            node = pending.popleft()
            for edge in self._edges[node]:
                target = self._targets[edge]
                if self._left[edge] and levels[target] < 0:
                    levels[target] = levels[node] + 1
                    pending.append(target)
        return levels

    def _fill(self, levels: list[int]) -> None:
        """Fill shortest ways, depth first; each edge is given up when it leads nowhere."""
        following = [0] * len(self._edges)
        way: list[int] = []
        node = 0
        while True:
            if node == 1:
                amount = min(self._left[edge] for edge in way)
                for edge in way:
                    self._left[edge] -= amount
                    self._left[edge ^ 1] += amount
                full = next(i for i, edge in enumerate(way) if not self._left[edge])
                node = self._targets[way[full] ^ 1]
                del way[full:]
                continue
            edges = self._edges[node]
            while following[node] < len(edges):
                edge = edges[following[node]]
                target = self._targets[edge]
                if self._left[edge] and levels[target] == levels[node] + 1:
                    way.append(edge)
                    node = target
                    break
                following[node] += 1
            else:
                if not way:
                    return
                node = self._targets[way.pop() ^ 1]
                following[node] += 1
