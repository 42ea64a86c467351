"""The picture of a collective says what torch really does, and is readable wherever it is shown."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

import ringlab as lab
from ringlab.view import Case, draw_collective, png_of_collective
from ringlab.view.collectives import MOST_RANKS, WIDTH
from ringlab.view.style import RANK_COLOURS
from ringlab.words import view_collective as words

SVG = "{http://www.w3.org/2000/svg}"
DATA = tuple(name for name in words.TITLES if name != "barrier")
CASES = [
    Case(name, size, root=size - 1)
    for name in words.TITLES
    for size in (1, 2, 3, 4, 5, 8)
    if size > 1 or name != "send_recv"
]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}{c.world_size}")
def test_the_picture_is_one_well_formed_svg_that_keeps_to_its_frame(case: Case) -> None:
    svg = draw_collective(case)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert not re.search(r"\sid=|url\(#|NaN|inf\b|None|\{|\}", svg)
    height = float((root.get("viewBox") or "").split()[3])
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x") or 0) <= WIDTH
        assert 0 <= float(element.get("y") or 0) <= height
    for box in root.iter(f"{SVG}rect"):
        x, width = float(box.get("x") or 0), float(box.get("width") or 0)
        assert width > 0 and x + width <= WIDTH


def expected(name: str, size: int, root: int) -> list[Any]:
    """What torch gives for x_r[p] = 10 r + p, from the definition of each operation."""
    whole = [[10 * rank + chunk for chunk in range(size)] for rank in range(size)]
    total = [sum(column) for column in zip(*whole, strict=True)]
    peer = (root + 1) % size
    results: dict[str, list[Any]] = {
        "send_recv": [whole[root] if r in (root, peer) else None for r in range(size)],
        "broadcast": [whole[root]] * size,
        "scatter": [[whole[root][r]] for r in range(size)],
        "gather": [sum(whole, []) if r == root else None for r in range(size)],
        "reduce": [total if r == root else None for r in range(size)],
        "all_gather": [sum(whole, [])] * size,
        "reduce_scatter": [[total[r]] for r in range(size)],
        "all_reduce": [total] * size,
        "all_to_all": [[whole[s][r] for s in range(size)] for r in range(size)],
    }
    return results[name]


def numbers_in(case: Case, rank: int) -> list[int] | None:
    """The numbers that the picture promises on a rank, read from its labels and boxes."""
    sides = case.sides
    assert sides is not None
    found: list[int] = []
    for cell in sides[1].rows[rank]:
        if not cell.parts:
            return None
        chunk = re.search(r"\[(\d)\]", cell.label)
        chunks = [int(chunk[1])] if chunk else range(case.world_size)
        found += [sum(10 * part + p for part in cell.parts) for p in chunks]
    return found or None


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize(("size", "root"), [(2, 1), (4, 0), (4, 2), (5, 4)])
def test_after_is_what_the_operation_is_defined_to_give(name: str, size: int, root: int) -> None:
    case = Case(name, size, root)
    promised = [numbers_in(case, rank) for rank in range(size)]
    assert promised == expected(name, size, root)


def torch_gives(root: int) -> dict[str, list[int] | None]:
    import torch
    import torch.distributed as dist

    rank, size = dist.get_rank(), dist.get_world_size()
    mine = torch.tensor([10 * rank + chunk for chunk in range(size)])
    result: dict[str, Any] = {name: mine.clone() for name in ("broadcast", "reduce", "all_reduce")}
    dist.broadcast(result["broadcast"], src=root)
    dist.reduce(result["reduce"], dst=root)
    dist.all_reduce(result["all_reduce"])
    result["scatter"] = torch.zeros(1, dtype=mine.dtype)
    dist.scatter(result["scatter"], list(mine.split(1)) if rank == root else None, src=root)
    parts = [torch.zeros_like(mine) for _ in range(size)] if rank == root else None
    dist.gather(mine, parts, dst=root)
    result["gather"] = torch.cat(parts) if parts else None
    result["all_gather"] = torch.zeros(size * size, dtype=mine.dtype)
    dist.all_gather_single(result["all_gather"], mine)
    result["reduce_scatter"] = torch.zeros(1, dtype=mine.dtype)
    dist.reduce_scatter_single(result["reduce_scatter"], mine)
    result["all_to_all"] = torch.zeros_like(mine)
    dist.all_to_all_single(result["all_to_all"], mine)
    return {name: None if t is None else t.tolist() for name, t in result.items()}


def test_after_is_what_torch_gives_on_real_ranks() -> None:
    given = lab.run(torch_gives, 4, root=2).results
    for name in given[0]:
        case = Case(name, 4, root=2)
        for rank in range(4):
            promised = numbers_in(case, rank)
            if promised is not None:
                assert given[rank][name] == promised, (name, rank)


def test_the_formula_spells_out_what_is_reduced() -> None:
    assert Case("all_reduce", 3).formula.startswith("yᵣ = x₀ + x₁ + x₂,")
    assert Case("all_reduce", 8).formula.startswith("yᵣ = x₀ + x₁ + … + x₇,")
    assert Case("reduce", 2, 1, "AVG").formula == "y₁ = (x₀ + x₁) / 2"
    assert Case("reduce_scatter", 2, op="MAX").formula.startswith("yᵣ = max(x₀[r], x₁[r]),")
    assert Case("scatter", 4, 3).formula.startswith("yᵣ = x₃[r],")
    assert Case("all_reduce", op="AVG").call == "all_reduce(tensor, op=AVG)"


def test_a_barrier_shows_everyone_leave_when_the_last_has_come() -> None:
    svg = draw_collective(Case("barrier", 4))
    root = ElementTree.fromstring(svg)
    leaves = {
        float(box.get("x") or 0)
        for box in root.iter(f"{SVG}rect")
        if box.get("fill") in RANK_COLOURS and float(box.get("x") or 0) > 92
    }
    assert len(leaves) == 1
    assert texts(svg).count(words.GOES_ON) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("all_redude",), "all_reduce"),
        (("broadcast", 4, 4), "0 to 3"),
        (("broadcast", 4, -1), "0 to 3"),
        (("all_gather", MOST_RANKS + 1), "1 to 8"),
        (("all_gather", 0), "1 to 8"),
        (("send_recv", 1), "two ranks"),
        (("all_reduce", 4, 0, "MEAN"), "AVG"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        lab.collective(*arguments)


def test_the_stored_output_keeps_a_picture_of_the_same_size_and_its_words() -> None:
    shown = lab.collective("scatter", root=2)
    data, metadata = shown._repr_mimebundle_()
    image = Image.open(io.BytesIO(data["image/png"]))
    view = ElementTree.fromstring(shown.svg).get("viewBox") or ""
    width, height = map(float, view.split()[2:])
    assert abs(image.width / image.height - width / height) < 0.02
    assert "rank 3 has x₂[3]" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert len(data["image/png"]) < 40_000


def test_the_stored_picture_has_the_colours_of_the_ranks() -> None:
    image = Image.open(io.BytesIO(png_of_collective(Case("all_gather", 8)))).convert("RGB")
    counts: Any = image.getcolors(1 << 24)
    common = {colour for count, colour in counts if count > 400}
    for wanted in RANK_COLOURS:
        rgb = tuple(int(wanted[i : i + 2], 16) for i in (1, 3, 5))
        near = min(max(abs(a - b) for a, b in zip(rgb, c, strict=True)) for c in common)
        assert near <= 12, wanted


def controls(shown: Any) -> tuple[Any, ...]:
    """What, ranks, root, and op behind its label."""
    name, ranks, root, labelled = shown.children[0].children
    return name, ranks, root, labelled.children[1]


def test_choosing_redraws_and_keeps_the_root_among_the_ranks() -> None:
    shown = lab.collective()
    name, ranks, root, op = controls(shown)
    name.value = "reduce"
    root.value = 3
    op.value = "MAX"
    assert shown.svg == draw_collective(Case("reduce", 4, 3, "MAX"))
    ranks.value = 2
    assert root.value == 1 and tuple(root.options) == (0, 1)
    assert shown.svg == draw_collective(Case("reduce", 2, 1, "MAX"))
    ranks.value = 6
    assert shown.svg == draw_collective(Case("reduce", 6, 1, "MAX"))


def test_only_what_makes_a_difference_can_be_chosen() -> None:
    shown = lab.collective()
    name, ranks, root, op = controls(shown)
    able = {}
    for each in words.TITLES:
        name.value = each
        able[each] = (not root.disabled, not op.disabled)
    assert [n for n, (rooted, _) in able.items() if rooted] == [
        *("send_recv", "broadcast", "scatter", "gather", "reduce")
    ]
    assert [n for n, (_, reduces) in able.items() if reduces] == [
        *("reduce", "reduce_scatter", "all_reduce")
    ]
    name.value, ranks.value = "all_reduce", 1
    name.value = "send_recv"
    assert ranks.value == 2 and shown.svg == draw_collective(Case("send_recv", 2))


def test_a_fixed_picture_has_no_controls() -> None:
    assert len(lab.collective("gather").children) == 1
