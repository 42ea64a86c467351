import torch
import torch.distributed as dist
from torch import Tensor

if True:

    def ring_all_reduce(tensor: Tensor) -> None:
        rank, size = dist.get_rank(), dist.get_world_size()
        print(f"rank {rank} of {size}: {tensor.numel()} elements of {tensor.dtype}")
        chunks = tensor.view(-1).tensor_split(size)
        for step in range(2 * (size - 1)):
            send, keep = (rank - step) % size, (rank - step - 1) % size
            print(f"step {step}: chunk {send} out, chunk {keep} in")
            buffer = torch.zeros_like(chunks[keep])
            sending = dist.isend(chunks[send], (rank + 1) % size)
            receiving = dist.irecv(buffer, (rank - 1) % size)
            for work in (sending, receiving):
                work.wait()
            if step < size - 1:
                chunks[keep].add_(buffer)
            else:
                chunks[keep].copy_(buffer)
