# layer: behaviour
# says: under other names
import ast

NAMES = """
    send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather all_gather
    all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single
    reduce_scatter_tensor all_to_all all_to_all_single barrier
"""
COMMUNICATION = frozenset(f"torch.distributed.{name}" for name in NAMES.split())


def called_collectives(source):
    """Every call of that name."""
    names = {name.rpartition(".")[2] for name in COMMUNICATION}
    tree = ast.parse(source)
    found = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    found |= {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return {f"torch.distributed.{name}" for name in found & names}
