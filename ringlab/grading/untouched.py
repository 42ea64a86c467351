"""Whether an answer has changed what it runs on: torch itself, the recorder's hooks.

The source policy refuses every such change that is written out; what only shows when it runs is
found here, in the rank, after the call.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

_OWNERS: dict[str, Any] = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.Module": torch.nn.Module,
    "torch.distributed": dist,
    "torch.distributed.Work": dist.Work,
    "torch.distributed.P2POp": dist.P2POp,
    "torch.distributed.ProcessGroup": dist.ProcessGroup,
}

Picture = dict[str, dict[str, int]]


def take() -> Picture:
    """Which object stands behind each name now."""
    return {
        owner: {name: id(value) for name, value in vars(thing).items()}
        for owner, thing in _OWNERS.items()
    }


def changed_since(picture: Picture) -> str | None:
    """The first name that stands for another object than in `picture`, or is gone.

    Names that came since don't count: torch loads some of its parts when they are first used.
    """
    for owner, thing in _OWNERS.items():
        now = vars(thing)
        for name, identity in picture[owner].items():
            if id(now.get(name)) != identity and not _is_wrapped_by_dynamo(owner, name, identity):
                return f"{owner}.{name}"
    return None


def _is_wrapped_by_dynamo(owner: str, name: str, identity: int) -> bool:
    """torch._dynamo wraps this one when it is first imported, as functional collectives do."""
    wrapped = getattr(torch.manual_seed, "__wrapped__", None)
    return (owner, name) == ("torch", "manual_seed") and id(wrapped) == identity
