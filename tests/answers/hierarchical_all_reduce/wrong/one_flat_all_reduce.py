# layer: traffic
# says: bytes cross from node to node
# says: for K = 2 nodes of 2 ranks
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    dist.all_reduce(tensor)
