"""`./course bench`: measure the course on this machine; a table, and JSON and a chart on request.

`--experiment NAME` runs one experiment, also under torchrun:
`torchrun --nproc-per-node=4 -m ringlab.bench --experiment fusion`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from ringlab.bench.figures import Figure
from ringlab.words import bench as words

EXPERIMENTS = ("algorithms", "bandwidth", "fusion")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="./course bench", description=words.BENCH)
    parser.add_argument("--json", type=Path, metavar="FILE", help=words.JSON_FILE)
    parser.add_argument("--quick", action="store_true", help=words.QUICK)
    names = ", ".join(EXPERIMENTS)
    parser.add_argument(
        "--experiment", choices=EXPERIMENTS, help=words.EXPERIMENT.format(names=names)
    )
    parser.add_argument("--ranks", type=int, default=4, metavar="N", help=words.RANKS)
    parser.add_argument("--repeats", type=int, metavar="N", help=words.REPEATS)
    parser.add_argument("--chart", type=Path, metavar="FILE", help=words.CHART_FILE)
    options = parser.parse_args()
    if options.experiment:
        run_experiment(options)
    else:
        measure_the_course(options)


def measure_the_course(options: argparse.Namespace) -> None:
    """All figures of the house."""
    from ringlab.bench.house import all_figures

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


def run_experiment(options: argparse.Namespace) -> None:
    """One experiment; under torchrun rank 0 alone prints and writes."""
    found = _measured(options.experiment, options.ranks, options.repeats, options.quick)
    if int(os.environ.get("RANK", "0")) != 0:
        return
    print(found.text())
    if options.json:
        data = {"machine": machine(), **found.to_json()}
        options.json.write_text(json.dumps(data, indent=2) + "\n")
    if options.chart:
        found.chart().save(options.chart)


def _measured(name: str, ranks: int, repeats: int | None, quick: bool) -> Any:
    """The result of an experiment by its name."""
    if name == "algorithms":
        from ringlab.bench.all_reduces import SIZES, compare_algorithms

        sizes = SIZES[::3] if quick else SIZES
        return compare_algorithms(ranks, sizes, repeats or (3 if quick else 9))
    if name == "bandwidth":
        from ringlab.bench.bandwidth import SIZES, measure_bandwidth

        sizes = SIZES[::3] if quick else SIZES
        return measure_bandwidth(ranks, sizes, repeats or (3 if quick else 9))
    from ringlab.bench import fusion

    counts = fusion.COUNTS[:2] if quick else fusion.COUNTS
    nbytes = fusion.SIZES[:3] if quick else fusion.SIZES
    return fusion.sweep_fusion(counts, nbytes, ranks, repeats or (3 if quick else 7))


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
