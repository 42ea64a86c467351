"""What the cost room says. Templates for str.format; nothing here computes."""

BAD_LINK = "A link's alpha and beta are seconds, 0 or more, not {alpha} and {beta}."
BAD_TOPOLOGY = "A topology needs at least 1 for {what}, not {value}."
BAD_TERM = "{what} is seconds, 0 or more, not {value}."
NO_LINK_BETWEEN = "{nodes} nodes need a link between them."
TOO_MANY_NICS = "{nics} network cards are more than the {ranks_per_node} ranks of a node can use."
TOO_MANY_RANKS = "{world_size} ranks don't fit: the topology has room for {room}."
BAD_BYTES = "A tensor has 0 bytes or more, not {nbytes}."
NO_ELEMENTS = "A schedule without elements can't be priced for {nbytes} bytes."
NO_FORMULA = "There is no closed form for {name!r}. Known: {known}."
FIT_NEEDS_SIZES = "A fit needs times at two different sizes at least; there are {count}."
FIT_NEEDS_TIMES = "A measured time is more than 0 seconds, not {seconds}."
FIT_UNKNOWN_TERMS = "There is no term called {names}. Known: {known}."

BOTTLENECKS = {
    "sends": "rank {number} sends",
    "receives": "rank {number} receives",
    "leaves": "network card {nic} of node {number}, outgoing",
    "enters": "network card {nic} of node {number}, incoming",
    "inside": "the shared link inside node {number}",
    "works": "rank {number} works",
    "cores": "the cores of node {number}",
}
