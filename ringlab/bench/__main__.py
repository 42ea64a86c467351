"""`./course bench`: measure the course on this machine; a table, and JSON on request."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from ringlab.bench.figures import Figure
from ringlab.bench.house import all_figures
from ringlab.words import bench as words


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="./course bench", description=words.BENCH)
    parser.add_argument("--json", type=Path, metavar="FILE", help=words.JSON_FILE)
    parser.add_argument("--quick", action="store_true", help=words.QUICK)
    options = parser.parse_args()
    figures: list[Figure] = []
    experiments = all_figures(options.quick)
    for number, experiment in enumerate(experiments, 1):
        print(words.PROGRESS.format(number=number, count=len(experiments)), file=sys.stderr)
        new = experiment()
        figures += new
        print(table(new), flush=True)
    if options.json:
        data = {"machine": machine(), "figures": [figure.to_json() for figure in figures]}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


def machine() -> dict[str, object]:
    """Where this was measured."""
    return {
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def table(figures: list[Figure]) -> str:
    """Rows in columns."""
    rows = [figure.row() for figure in figures]
    widths = [max(54, *(len(row[0]) for row in rows)), 10, 24, 4]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


if __name__ == "__main__":
    main()
