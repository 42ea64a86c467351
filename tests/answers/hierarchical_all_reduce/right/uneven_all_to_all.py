import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Between the first ranks: uneven chunks by all_to_all, summed, and handed back likewise."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    leaders = list(range(0, size, ranks_per_node))
    nodes = [dist.new_group(list(range(first, first + ranks_per_node))) for first in leaders]
    between = dist.new_group(leaders)
    node, count = rank // ranks_per_node, len(leaders)
    dist.reduce(tensor, leaders[node], group=nodes[node])
    if rank == leaders[node] and count > 1:
        flat = tensor.view(-1)
        sizes = [len(chunk) for chunk in flat.tensor_split(count)]
        own = sizes[node]
        parts = flat.new_empty(count * own)
        dist.all_to_all_single(parts, flat.clone(), [own] * count, sizes, group=between)
        total = parts.view(count, own).sum(0, dtype=flat.dtype)
        dist.all_to_all_single(flat, total.repeat(count), sizes, [own] * count, group=between)
    dist.broadcast(tensor, leaders[node], group=nodes[node])
