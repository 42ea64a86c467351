from fractions import Fraction


def ring_time(world_size: int, nbytes: int, alpha: float, beta: float) -> float:
    share = Fraction(world_size - 1, world_size)
    return 2 * ((world_size - 1) * alpha + float(share * nbytes) * beta)
