"""What the cost explorer says. Templates for str.format; nothing here computes."""

ALGORITHM_NAMES = {
    "central": "through a root",
    "ring": "ring",
    "tree": "tree",
    "double_binary_tree": "double binary tree",
    "recursive_doubling": "recursive doubling",
    "halving_doubling": "halving-doubling",
    "hierarchical": "hierarchical",
}
RANKS = "ranks N"
NODE_SIZE = "ranks a node"
ALPHA_INSIDE = "α inside a node"
BANDWIDTH_INSIDE = "1/β inside a node"
ALPHA_BETWEEN = "α between nodes"
BANDWIDTH_BETWEEN = "1/β between nodes"
BYTES = "tensor M"
RESET = "Reset"
RESET_TIP = "back to where you began"
MICROSECONDS = "{value:.3g} µs"
BANDWIDTH = "{value:.3g} GB/s"
TITLE = "All-reduce on {n} ranks, {nodes}"
ONE_NODE = "one node"
NODES = "{count} nodes of {size}"
X_AXIS = "bytes of the tensor"
Y_AXIS = "seconds, by the model"
AT_M = "M = {size}"
BEST = "At {size} {name} is the fastest: {time}."
SECOND = "Next: {name}, {ratio:.2g} times as long."
CROSSES = "The fastest changes at about {points}."
CROSSING = "{size} (from {before} to {after})"
NEVER = "One algorithm is the fastest at every size shown."
DESCRIPTION = (
    "Time of each all-reduce over the size of the tensor, on two logarithmic axes. {summary}"
)
SECONDS = "{value:.3g} s"
MILLISECONDS = "{value:.3g} ms"
MICRO = "{value:.3g} µs"
NANO = "{value:.3g} ns"

POINT_TITLE = "{count} tensors of {size}, {total} in all, on {n} ranks"
POINT_SAYS = "{first} takes {gain:.3g} times as long as {other}; thin lines: the middle half"
BAR = "{time} ({gain:.3g}×)"
TENSOR_COUNT = "number of tensors"
TENSOR_SIZE = "size of each"
NOT_MEASURED = "{count} tensors of {size}: left out of this sweep"
