"""The 29 small programs that a name-only check of the tree gets wrong or right by luck.

Each is an answer `answer(tensor)` that must sum over the ranks, by all_reduce or by reduce_scatter
and all_gather. `verdict`: what the source layer has to say about it.

- accepts: right, and accepted.
- refuses: wrong, and seen in the source.
- trace: wrong, and nothing in the source tells; the run does.
"""

from typing import NamedTuple


class Program(NamedTuple):
    name: str
    verdict: str
    source: str


def _program(name: str, verdict: str, body: str, before: str = "", after: str = "") -> Program:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    head = "import torch\nimport torch.distributed as dist\n"
    return Program(name, verdict, f"{head}{before}\n\ndef answer(tensor):\n{lines}\n{after}")


PROGRAMS = [
    _program("under if False", "refuses", "if False:\n    dist.all_reduce(tensor)"),
    _program("after return", "refuses", "return\ndist.all_reduce(tensor)"),
    _program(
        "in a function never called",
        "refuses",
        "def inner():\n    dist.all_reduce(tensor)\ntensor.mul_(dist.get_world_size())",
    ),
    _program("in a lambda never called", "refuses", "f = lambda: dist.all_reduce(tensor)"),
    _program(
        "on a class with the same attribute",
        "refuses",
        "dist.all_reduce(tensor)",
        before="class dist:\n    all_reduce = staticmethod(lambda tensor: None)",
    ),
    _program(
        "on a mock",
        "refuses",
        "dist.all_reduce(tensor)",
        before="from unittest.mock import MagicMock\ndist = MagicMock()",
    ),
    _program(
        "on a scratch tensor, the answer hard-coded",
        "trace",
        "dist.all_reduce(torch.zeros(1))\ntensor.fill_(3)",
    ),
    _program(
        "swallowed by try and except",
        "trace",
        "try:\n    dist.all_reduce('not a tensor')\nexcept Exception:\n    pass",
    ),
    _program("behind 0 and", "refuses", "0 and dist.all_reduce(tensor)"),
    _program("in a loop over nothing", "refuses", "for _ in []:\n    dist.all_reduce(tensor)"),
    _program(
        "under a condition that never holds",
        "trace",
        "if dist.get_rank() < 0:\n    dist.all_reduce(tensor)",
    ),
    _program(
        "after it was replaced",
        "refuses",
        "dist.all_reduce(tensor)",
        before="dist.all_reduce = lambda tensor: None",
    ),
    _program("never waited for", "trace", "dist.all_reduce(tensor, async_op=True)"),
    _program("with the maximum", "trace", "dist.all_reduce(tensor, op=dist.ReduceOp.MAX)"),
    _program("in an annotation", "refuses", "work: dist.all_reduce(tensor) = None"),
    _program(
        "in a first def that a second one replaces",
        "refuses",
        "dist.all_reduce(tensor)",
        after="\n\ndef answer(tensor):\n    return None\n",
    ),
    _program(
        "imported under another name",
        "accepts",
        "f(tensor)",
        before="from torch.distributed import all_reduce as f",
    ),
    _program(
        "imported by its bare name",
        "accepts",
        "all_reduce(tensor)",
        before="from torch.distributed import all_reduce",
    ),
    _program("by getattr", "accepts", "getattr(dist, 'all_reduce')(tensor)"),
    _program("by a bound local", "accepts", "reduce = dist.all_reduce\nreduce(tensor)"),
    _program(
        "by partial",
        "accepts",
        "partial(dist.all_reduce, op=dist.ReduceOp.SUM)(tensor)",
        before="from functools import partial",
    ),
    _program(
        "by a helper",
        "accepts",
        "summed(tensor)",
        after="\n\ndef summed(x):\n    dist.all_reduce(x)\n",
    ),
    _program(
        "by a static method",
        "accepts",
        "Ops.summed(tensor)",
        after="\n\nclass Ops:\n    @staticmethod\n    def summed(x):\n        dist.all_reduce(x)\n",
    ),
    Program(
        "a def under if True",
        "accepts",
        "if True:\n    def answer(tensor):\n        dist.all_reduce(tensor)\n",
    ),
    _program(
        "single-tensor variants under their new names",
        "accepts",
        "n = dist.get_world_size()\n"
        "part = tensor.new_empty(tensor.numel() // n)\n"
        "dist.reduce_scatter_single(part, tensor.view(-1))\n"
        "dist.all_gather_single(tensor.view(-1), part)",
    ),
    _program(
        "single-tensor variants under their old names",
        "accepts",
        "n = dist.get_world_size()\n"
        "part = tensor.new_empty(tensor.numel() // n)\n"
        "dist.reduce_scatter_tensor(part, tensor.view(-1))\n"
        "dist.all_gather_into_tensor(tensor.view(-1), part)",
    ),
    _program(
        "reduce_scatter and all_gather of lists",
        "accepts",
        "chunks = list(tensor.view(-1).chunk(dist.get_world_size()))\n"
        "mine = torch.empty_like(chunks[0])\n"
        "dist.reduce_scatter(mine, [c.clone() for c in chunks])\n"
        "dist.all_gather(chunks, mine)",
    ),
    _program("as everybody writes it", "accepts", "dist.all_reduce(tensor)"),
    _program("without any call", "refuses", "tensor.mul_(dist.get_world_size())"),
]
