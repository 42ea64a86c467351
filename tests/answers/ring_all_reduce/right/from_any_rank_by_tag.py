def ring_all_reduce(tensor):
    n = dist.get_world_size(); r = dist.get_rank()
    if n == 1:
        return
    pieces = tensor.view(-1).tensor_split(n)
    right, left = (r + 1) % n, (r - 1) % n
    buf = torch.empty_like(pieces[0])
    for s in range(2 * (n - 1)):
        out, into = pieces[(r - s) % n], pieces[(r - s - 1) % n]
        recv = dist.irecv(buf[: into.numel()], tag=s) if into.numel() else dist.irecv(buf[: into.numel()], left, tag=s)
        send = dist.isend(out, right, tag=s)
        recv.wait(); send.wait()
        if s < n - 1:
            into += buf[: into.numel()]
        else:
            into.copy_(buf[: into.numel()])
