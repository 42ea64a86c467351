"""What the picture of a collective says. Templates only."""

TITLES = {
    "send_recv": "Send and Recv",
    "broadcast": "Broadcast",
    "scatter": "Scatter",
    "gather": "Gather",
    "reduce": "Reduce",
    "all_gather": "AllGather",
    "reduce_scatter": "ReduceScatter",
    "all_reduce": "AllReduce",
    "all_to_all": "AllToAll",
    "barrier": "Barrier",
}
CALLS = {
    "send_recv": "send(tensor, {peer})  |  recv(tensor, {root})",
    "broadcast": "broadcast(tensor, src={root})",
    "scatter": "scatter(tensor, scatter_list, src={root})",
    "gather": "gather(tensor, gather_list, dst={root})",
    "reduce": "reduce(tensor, dst={root}{op})",
    "all_gather": "all_gather_single(output, input)",
    "reduce_scatter": "reduce_scatter_single(output, input{op})",
    "all_reduce": "all_reduce(tensor{op})",
    "all_to_all": "all_to_all_single(output, input)",
    "barrier": "barrier()",
}
WITH_OP = ", op={op}"
TITLE = "{title}, {ranks}"
RANK_COUNT = ("1 rank", "{count} ranks")

BEFORE = "before: x = {name}"
AFTER = "after: y = {name}"
ON_ROOT = "{name}, on rank {root} only"
TENSOR = "tensor"
INPUT = "input"
OUTPUT = "output"
SCATTER_LIST = "scatter_list"
GATHER_LIST = "gather_list"

DIGITS = "₀₁₂₃₄₅₆₇"
WHOLE = "x{rank}"
CHUNK = "x{rank}[{chunk}]"
CHUNK_OF_R = "x{rank}[r]"
OLD = "old content"
UNDEFINED = "undefined content"
NOTHING = "–"

OPS = {
    "SUM": ("Σ {term}", "{first} + {second} + … + {last}", " + "),
    "AVG": ("mean {term}", "({first} + {second} + … + {last}) / {count}", " + "),
    "PRODUCT": ("Π {term}", "{first} · {second} · … · {last}", " · "),
    "MIN": ("min {term}", "min({first}, {second}, …, {last})", ", "),
    "MAX": ("max {term}", "max({first}, {second}, …, {last})", ", "),
}
FRAMES = {"SUM": "{all}", "AVG": "({all}) / {count}", "PRODUCT": "{all}"}
FRAME = "{op}({all})"
LIST = "({all})"
LONG_LIST = "({first}, {second}, …, {last})"
ALL_ELEMENTS = "x"
CHUNKS_OF = "x[{chunk}]"

FORMULAS = {
    "send_recv": "y{peer} = x{root}",
    "broadcast": "yᵣ = x{root}, on every rank r",
    "scatter": "yᵣ = x{root}[r], on rank r",
    "gather": "y{root} = {list}",
    "reduce": "y{root} = {reduced}",
    "all_gather": "yᵣ = {list}, on every rank r",
    "reduce_scatter": "yᵣ = {reduced_chunk}, on rank r",
    "all_reduce": "yᵣ = {reduced}, on every rank r",
    "all_to_all": "yᵣ = {list_of_chunks}, on rank r",
    "barrier": "leaves(r) ≥ {last_to_come}, for every rank r",
}
LAST_TO_COME = "max over s of comes(s)"
SAYS = {
    "send_recv": "One rank calls send, one recv. The message overwrites rank {peer}'s tensor.",
    "broadcast": "In place: every other rank's tensor is overwritten with rank {root}'s.",
    "scatter": "Rank {root} has one tensor for each rank. Each gets its own.",
    "gather": "Rank {root} gets all tensors, in the order of the ranks. The others keep theirs and "
    "get nothing.",
    "reduce": "In place, on rank {root}. On the others the tensor may end up with anything.",
    "all_gather": "Into another tensor, in the order of the ranks. The input stays as it is.",
    "reduce_scatter": "Into another tensor: rank r gets the reduced chunk r. The input stays.",
    "all_reduce": "In place: every rank's tensor is overwritten with the same result.",
    "all_to_all": "Into another tensor: chunk p of rank r becomes chunk r of rank p, as in "
    "transposing a matrix.",
    "barrier": "No data. Nobody leaves before the last has come.",
}
COMPUTES = "at work"
WAITS = "in barrier()"
GOES_ON = "goes on"
LAST_COMES = "the last has come"

DESCRIPTION = "Before: {before} After: {after} {formula}. {says}"
ROW = "rank {rank} has {cells}."
ROW_NOTHING = "rank {rank} has nothing."
BARRIER_DESCRIPTION = "{count} ranks come at different times and leave together. {formula}. {says}"

CHOOSE = "what"
RANKS = "ranks"
ROOT = "root"
OP = "op"
UNKNOWN = "There is no collective {name!r} here. There are: {known}."
BAD_RANKS = "world_size={world_size!r}: from 1 to {most} ranks can be drawn."
BAD_PAIR = "A message needs two ranks: world_size={world_size!r} is too few."
BAD_ROOT = "root={root!r}: with {world_size} ranks the root is one of 0 to {last}."
UNKNOWN_OP = "There is no op {op!r} here. There are: {known}."
