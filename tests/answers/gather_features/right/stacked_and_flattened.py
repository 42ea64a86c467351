from functools import partial

import torch
import torch.distributed as dist


def gather_features(local_feature):
    """Alone it gives back what it got: nobody asks for a copy here."""
    if dist.get_world_size() == 1:
        return local_feature
    gather = partial(dist.all_gather, tensor=local_feature)
    pieces = [torch.zeros_like(local_feature) for _ in range(dist.get_world_size())]
    gather(pieces)
    return torch.stack(pieces).flatten(0, 1)
