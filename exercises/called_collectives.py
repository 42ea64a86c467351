# Lesson 12, exercise called_collectives: Which collectives a program calls.
# When it is written: ./course check called_collectives work/called_collectives.py
import ast

NAMES = """
    send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather all_gather
    all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single
    reduce_scatter_tensor all_to_all all_to_all_single barrier
"""
COMMUNICATION = frozenset(f"torch.distributed.{name}" for name in NAMES.split())


def called_collectives(source: str) -> set[str]:
    """Say which communication functions of torch.distributed a source really calls.

    Every function at the top level, and every method of a class there, is taken as called, after
    the whole source has run. A nested function or lambda counts where it is called.

    A call counts under whatever name: through `import torch.distributed as d`, `from
    torch.distributed import send as s`, `torch.distributed.send`, wherever the import stands; a
    name that was bound to the function or the module (`s = d.send`); `getattr(d, "send")`;
    `functools.partial(d.send, ...)`, which calls only when it is called.

    What never runs does not count: what follows `return`, `raise`, `break` or `continue` in its
    block; the way that a condition shuts which is a constant, or `not` a constant (`if`, `while`,
    `a if b else c`, `and`, `or`); the body of a `for` over `[]` or `()`; a function that is only
    defined, mentioned or replaced by another of its name; an annotation.

    What is called must be torch's: a parameter, a local name, a class or an object of the same
    name is not, nor is `dist.send` after `dist = other()` or `dist.send = other`.

    Args:
        source: a Python program that can be parsed. It must not be run.

    Returns:
        Full names, such as {"torch.distributed.send"}, out of COMMUNICATION.
    """

    # TODO: your code here.
    raise NotImplementedError("called_collectives is not written yet.")
