import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = tensor.view(-1).tensor_split(size)
    inboxes = [torch.empty_like(chunks[0]) for _ in range(min(2, size - 1))]

    def receive(step: int) -> tuple[dist.Work, Tensor]:
        incoming = chunks[(rank - step - 1) % size]
        if step < size - 1:
            landing = inboxes[step % 2][: incoming.numel()]
        else:
            landing = incoming
        return dist.irecv(landing, left), landing

    sends = []
    steps = 2 * (size - 1)
    arriving, landing = receive(0)
    for step in range(steps):
        sends.append(dist.isend(chunks[(rank - step) % size], right))
        arriving.wait()
        arrived = landing
        # In the last step of the first phase the chunk that comes next is still waiting for
        # what has just arrived, so its receive must come after the addition.
        early = step + 1 < size - 1
        if early:
            arriving, landing = receive(step + 1)
        if step < size - 1:
            chunks[(rank - step - 1) % size].add_(arrived)
        if not early and step + 1 < steps:
            arriving, landing = receive(step + 1)
    for work in sends:
        work.wait()
