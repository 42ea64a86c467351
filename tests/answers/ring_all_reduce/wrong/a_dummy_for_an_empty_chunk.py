# layer: traffic
# says: 0 are enough
import torch
import torch.distributed as dist

def ring_all_reduce(tensor):
    n = dist.get_world_size(); r = dist.get_rank()
    if n == 1:
        return
    pieces = tensor.view(-1).tensor_split(n)
    right, left = (r + 1) % n, (r - 1) % n
    buf = tensor.new_empty(max(1, pieces[0].numel()))
    dummy = tensor.new_zeros(1)
    for s in range(2 * (n - 1)):
        out, into = pieces[(r - s) % n], pieces[(r - s - 1) % n]
        recv = dist.irecv(buf[: max(1, into.numel())], left)
        send = dist.isend(out if out.numel() else dummy, right)
        recv.wait(); send.wait()
        if s < n - 1:
            into += buf[: into.numel()]
        else:
            into.copy_(buf[: into.numel()])
