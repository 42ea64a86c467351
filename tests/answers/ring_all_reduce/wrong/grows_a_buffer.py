# layer: traffic
# says: bytes beside the tensor
import torch
import torch.distributed as dist

SCRATCH = torch.empty(1 << 20)
def ring_all_reduce(tensor):
    n = dist.get_world_size(); r = dist.get_rank()
    if n == 1:
        return
    big = torch.empty(0)
    big.resize_(3_000_000)
    big.fill_(1.0)
    copies = [tensor.tolist() for _ in range(5)]
    pieces = tensor.view(-1).tensor_split(n)
    right, left = (r + 1) % n, (r - 1) % n
    buf = torch.empty_like(pieces[0])
    for s in range(2 * (n - 1)):
        out, into = pieces[(r - s) % n], pieces[(r - s - 1) % n]
        recv = dist.irecv(buf[: into.numel()], left)
        send = dist.isend(out, right)
        recv.wait(); send.wait()
        if s < n - 1:
            into += buf[: into.numel()]
        else:
            into.copy_(buf[: into.numel()])
