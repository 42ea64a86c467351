"""Attacks on a grader, as whole files: each is handed in beside honest answers.

A new one is one more entry: its name, its source, and, where the source is not refused, why it
must fail. `{marker}` is a path that no attack may manage to write.
"""

from __future__ import annotations

ATTACKS: dict[str, str] = {
    "sys_exit": """
import sys

def who_am_i():
    sys.exit(0)
""",
    "os_exit": """
import os

def who_am_i():
    os._exit(0)
""",
    "system_exit": """
def who_am_i():
    raise SystemExit(0)
""",
    "exits_when_it_is_defined": """
def who_am_i():
    return 0, 1

raise SystemExit(0)
""",
    "exit_by_a_computed_name": """
import torch

def who_am_i():
    return getattr(torch, "o" + "s")._exit(0)
""",
    "writes_the_results": """
import json, pathlib

def who_am_i():
    pathlib.Path("{marker}").write_text(json.dumps({{"score": 100}}))
    return 0, 1
""",
    "opens_a_file_in_a_default": """
def who_am_i(log=open("{marker}", "w")):
    return 0, 1
""",
    "pickle_that_runs": """
class Bomb:
    def __reduce__(self):
        return (print, ("boom",))

def who_am_i():
    return Bomb(), Bomb()
""",
    "objects_that_equal_everything": """
class Any(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__

def who_am_i():
    return Any(), Any()
""",
    "tuple_that_equals_everything": """
class Pair(tuple):
    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__

def who_am_i():
    return Pair((0, 0))
""",
    "reads_other_submissions": """
import glob

def who_am_i():
    return [open(p).read() for p in glob.glob("/**/who_am_i.py", recursive=True)]
""",
    "reads_the_callers_stack": """
import sys

def who_am_i():
    return sys._getframe(1).f_locals
""",
    "daemon": """
import subprocess

def who_am_i():
    subprocess.Popen(["sleep", "977"], start_new_session=True)
    return 0, 1
""",
    "thread_that_goes_on": """
import threading

def who_am_i():
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    return 0, 1
""",
    "endless_output": """
def who_am_i():
    while True:
        print("x" * 100_000)
""",
    "endless_output_then_wrong": """
def who_am_i():
    for _ in range(200):
        print("x" * 100_000)
    return 0, 1
""",
    "patches_torch": """
import torch

def who_am_i():
    torch.equal = lambda *_: True
    torch.allclose = lambda *_: True
    return 0, 1
""",
    "takes_memory_without_end": """
def who_am_i():
    held = []
    while len(held) < 10_000:
        held.append(bytearray(64 << 20))
    return 0, 1
""",
    "sleeps_on_one_rank": """
import torch.distributed as dist

def who_am_i():
    if dist.get_rank() == 0:
        dist.barrier()
    return dist.get_rank(), dist.get_world_size()
""",
}
