# Lesson 12, exercise grade_worker: An autograder.
# When it is written: ./course check grade_worker work/grade_worker.py
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil


def grade_worker(path: str, world_size: int, timeout: float) -> str:
    """Grade the file at `path`, which should define run_worker(rank, world_size).

    run_worker is called in `world_size` processes, one for each rank, with MASTER_ADDR and
    MASTER_PORT set to a free port of this machine. It makes its own process group: with NCCL where
    every rank can have a GPU of its own, so the processes must be able to use CUDA there.

    Args:
        path: of the file to grade.
        world_size: number of ranks, at least 1.
        timeout: seconds after which whoever has not finished has failed.

    Returns:
        "passed" if on every rank run_worker returned, and has called dist.all_reduce and
            dist.all_gather, under whatever names;
        "failed" if not: it raised, crashed, ended its process (also with exit code 0), did no
            communication, was not done in time, or the file has no run_worker that can be loaded;
        "could not be judged" if nothing can be said about the code: there is no file at `path`,
            or it can't be read.

    Answers at most 5 seconds after the timeout, and no process it has started is left then.
    """
    # TODO: your code here.
    raise NotImplementedError("grade_worker is not written yet.")
