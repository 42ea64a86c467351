# layer: traffic
# says: take part in one all_to_all at line
# says: bytes cross from node to node
import torch.distributed as dist
from torch import Tensor


def hierarchical_all_reduce(tensor: Tensor, ranks_per_node: int) -> None:
    """Rank 0 puts nothing into the first all_to_all, nobody but rank 1 into the second."""
    if dist.get_world_size() % ranks_per_node:
        raise ValueError("the nodes are not full")
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    n = tensor.numel()
    own = tensor.reshape(-1)
    total = hand_out(own, [r for r in range(size) if r])
    passed_on = own.clone()
    if rank == 0:
        dist.send(own, 1)
    if rank == 1:
        dist.recv(passed_on, 0)
    tensor.copy_((total + hand_out(passed_on, [1])).view_as(tensor))


def hand_out(own: Tensor, givers: list[int]) -> Tensor:
    """The sum of what the givers hand to everybody."""
    rank, size, n = dist.get_rank(), dist.get_world_size(), own.numel()
    give = [n if rank in givers else 0] * size
    take = [n if r in givers else 0 for r in range(size)]
    out = own.new_empty(sum(take))
    dist.all_to_all_single(out, own.repeat(size)[: sum(give)].clone(), take, give)
    return out.view(len(givers), n).sum(0, dtype=own.dtype)
