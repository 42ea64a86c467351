from dataclasses import dataclass


@dataclass
class Link:
    alpha: float
    beta: float

    def time(self, nbytes: float) -> float:
        return self.alpha + self.beta * nbytes


def ring_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    if world_size <= 1:
        return 0
    reduce_scatter = (world_size - 1) * Link(alpha, beta).time(nbytes / world_size)
    all_gather = reduce_scatter
    return reduce_scatter + all_gather
