def ring_all_reduce(tensor):
    # Blocking calls are enough if one rank of the circle starts with the receive.
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = tensor.view(-1).tensor_split(size)
    for step in range(2 * (size - 1)):
        outgoing, incoming = chunks[(rank - step) % size], chunks[(rank - step - 1) % size]
        buffer = torch.empty_like(incoming)
        if rank == 0:
            dist.recv(buffer, size - 1)
            dist.send(outgoing, 1)
        else:
            dist.send(outgoing, (rank + 1) % size)
            dist.recv(buffer, rank - 1)
        if step < size - 1:
            incoming.add_(buffer)
        else:
            incoming.copy_(buffer)
