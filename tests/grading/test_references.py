"""What the reference answers refuse, and a check can't try: tensors on two devices."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import ringlab as lab

SOLUTIONS = Path(__file__).parents[2] / "solutions"


def reference(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, SOLUTIONS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


@pytest.mark.parametrize(
    ("name", "more"), [("fused_all_reduce", ()), ("bucketed_all_reduce", (1024,))]
)
def test_a_reference_refuses_tensors_on_two_devices_before_anything_is_sent(
    name: str, more: tuple[int, ...]
) -> None:
    function = reference(name)

    def mixed() -> str:
        import torch

        tensors = [torch.ones(2), torch.ones(2, device="meta")]
        try:
            function(tensors, *more)
        except ValueError as error:
            return str(error)
        return "accepted"

    done = lab.run(mixed, 2)
    assert all("different devices" in text for text in done.results)
    assert not any(record.operations for record in done.records)
