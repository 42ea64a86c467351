# layer: source
# says: `exec`
import ast

NAMES = """
    send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather all_gather
    all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single
    reduce_scatter_tensor all_to_all all_to_all_single barrier
"""
COMMUNICATION = frozenset(f"torch.distributed.{name}" for name in NAMES.split())


def called_collectives(source):
    seen = set()
    names = {}
    exec(source, names)
    return seen
