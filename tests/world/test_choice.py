"""Which backend and start method are chosen, on machines that are only imagined."""

from __future__ import annotations

import pytest

from ringlab.world.choice import Choice, choose


def test_nccl_when_every_rank_has_a_gpu() -> None:
    assert choose(4, gpus=8, nccl=True, platform="linux") == Choice("spawn", "nccl")
    assert choose(8, gpus=8, nccl=True, platform="linux") == Choice("spawn", "nccl")


def test_gloo_when_gpus_are_too_few() -> None:
    assert choose(4, gpus=3, nccl=True, platform="linux") == Choice("fork", "gloo")
    assert choose(2, gpus=0, nccl=True, platform="linux") == Choice("fork", "gloo")


def test_gloo_when_torch_has_no_nccl() -> None:
    assert choose(1, gpus=8, nccl=False, platform="linux") == Choice("fork", "gloo")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_no_fork_where_it_is_not_safe(platform: str) -> None:
    assert choose(2, gpus=0, nccl=False, platform=platform).start == "spawn"
    with pytest.raises(ValueError, match="not safe"):
        choose(2, gpus=0, nccl=False, start="fork", platform=platform)


def test_no_fork_with_cuda() -> None:
    with pytest.raises(ValueError, match="not safe"):
        choose(2, gpus=2, nccl=True, start="fork", backend="nccl", platform="linux")


def test_nccl_that_cannot_be_is_refused_with_the_count() -> None:
    with pytest.raises(ValueError, match="4 ranks were asked for, 1 GPUs"):
        choose(4, gpus=1, nccl=True, backend="nccl", platform="linux")
    with pytest.raises(ValueError, match="without NCCL"):
        choose(1, gpus=1, nccl=False, backend="nccl", platform="linux")


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="forkserver"):
        choose(1, gpus=0, nccl=False, start="forkserver")
    with pytest.raises(ValueError, match="mpi"):
        choose(1, gpus=0, nccl=False, backend="mpi")
