"""What a schedule costs: links and topologies, prices, closed forms, fits, the cheapest choice.

A schedule's steps follow one another. In a step all messages travel, then all ranks do their work:
the step takes as long as its slowest link and, after it, its busiest rank. ``price`` says which.
"""

from __future__ import annotations

from ringlab.cost.choose import cheapest, prices
from ringlab.cost.fitting import Fit, TopologyFit, fit, fit_topology
from ringlab.cost.formulas import FORMULAS, Form, formula
from ringlab.cost.load import Place, Plan, plan
from ringlab.cost.outline import Outline, outline
from ringlab.cost.pricing import Price, StepPrice, Terms, price
from ringlab.cost.topology import Link, Number, Topology, flat

__all__ = [
    "FORMULAS",
    "Fit",
    "Form",
    "Link",
    "Number",
    "Outline",
    "Place",
    "Plan",
    "Price",
    "StepPrice",
    "Terms",
    "Topology",
    "TopologyFit",
    "cheapest",
    "fit",
    "fit_topology",
    "flat",
    "formula",
    "outline",
    "plan",
    "price",
    "prices",
]
