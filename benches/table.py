"""The table of a game, in one process: masume's ways, the reference, the floors, and the peers that are installed.

python benches/table.py [GAME ...] [--rounds 25]
"""

import argparse

import peers
from masume import bench


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(bench.WORKLOADS), help="default: all")
    parser.add_argument("--rounds", type=int, default=bench.ROUNDS)
    arguments = parser.parse_args()
    for line in peers.found()[1]:
        print(line)
    print(bench.text(bench.report(arguments.games, arguments.rounds, more=peers.cases)))


if __name__ == "__main__":
    main()
