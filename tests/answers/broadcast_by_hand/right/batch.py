import torch.distributed as dist


def broadcast_by_hand(tensor, src):
    if not 0 <= src < dist.get_world_size():
        raise ValueError("no such rank")
    me = dist.get_rank()
    if me == src:
        operations = [
            dist.P2POp(dist.isend, tensor, other)
            for other in range(dist.get_world_size())
            if other != me
        ]
    else:
        operations = [dist.P2POp(dist.irecv, tensor, src)]
    for work in dist.batch_isend_irecv(operations) if operations else []:
        work.wait()
