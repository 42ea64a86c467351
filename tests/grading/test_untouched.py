"""An answer that changes torch under the recorder is found."""

from __future__ import annotations

import torch
import torch.distributed as dist

from ringlab.grading import untouched


def test_nothing_changed_is_nothing_found() -> None:
    assert untouched.changed_since(untouched.take()) is None


def test_a_replaced_method_is_named() -> None:
    picture = untouched.take()
    plain = dist.Work.wait
    dist.Work.wait = lambda *_: True  # type: ignore[assignment, method-assign]
    try:
        assert untouched.changed_since(picture) == "torch.distributed.Work.wait"
    finally:
        dist.Work.wait = plain  # type: ignore[method-assign]
    assert untouched.changed_since(picture) is None


def test_a_removed_function_is_named() -> None:
    picture = untouched.take()
    plain = torch.allclose
    del torch.allclose
    try:
        assert untouched.changed_since(picture) == "torch.allclose"
    finally:
        torch.allclose = plain


def test_a_part_of_torch_that_is_loaded_late_is_no_change() -> None:
    picture = untouched.take()
    torch.loaded_late = object()
    try:
        assert untouched.changed_since(picture) is None
    finally:
        del torch.loaded_late
