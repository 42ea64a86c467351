"""What the judge says about the exercises of lessons 01, 02, 05 and 06."""

GROUP_SIZES = "Sizes, small and large"
GROUP_SOURCES = "Every src"
GROUP_NODES = "Nodes of every size"
GROUP_ONE_DTYPE = "Tensors of one dtype"
GROUP_MIXED = "Several dtypes in one list"
GROUP_NO_ELEMENTS = "Empty lists, empty tensors"
GROUP_GAPS = "Tensors that are not contiguous"
GROUP_ODD_SHAPES = "Several dimensions, and none"
GROUP_FULL = "Buckets that are filled to the last byte"
GROUP_OVERSIZE = "Tensors larger than a bucket"
GROUP_MANY = "Many tensors"

TRAFFIC_COUNT = "Collectives that are called"
TRAFFIC_ELEMENTS = "Elements in a collective"
TRAFFIC_CROSSING = "Bytes that cross nodes"
TRAFFIC_BETWEEN = "One rank of each node between nodes"
TRAFFIC_GROUPS = "Groups are made by everybody"
TRAFFIC_HUB = "Bytes of rank 0"
TRAFFIC_CAP = "Bytes in a bucket"
TRAFFIC_BUCKETS = "Number of buckets"
TRAFFIC_ORDER = "Buckets in list order"

# average_gradient, gather_features, fused_all_reduce
TOO_MANY_ELEMENTS = (
    "Rank {rank} puts {got} elements into the {what} at line {line}; {most} are enough, padding "
    "included."
)

# average_gradient
ONE_ALL_REDUCE = "all_reduce; or one reduce_scatter and one all_gather"
AVERAGE_CALLS = (
    "Rank {rank} calls {calls}. One all_reduce is enough, or one reduce_scatter and one all_gather."
)
IS_SUM = "It is the sum over the ranks; the mean is asked for: divide by the world size."
DIVIDED_TWICE = "It is the mean divided by the world size once more. ReduceOp.AVG divides already."
ONLY_OWN = "On every rank it is its own gradient by the world size: nothing of the others is in it."

# gather_features
ONE_ALL_GATHER = "all_gather, in any of its forms"
GATHER_CALLS = "Rank {rank} calls {calls}. One all_gather is enough."
NOTHING = "no collective"
NO_SUCH_RANK = "src={src} is not a rank of {world_size}"
NO_CAP = "A bucket of {bucket_bytes} bytes holds nothing"
NODES_UNEVEN = "{world_size} ranks can't sit on nodes of {ranks_per_node}"
CALLS = "{count} × {name}"
STACKED = (
    "The chunks are stacked: there is a new dimension of the world size in front. Joined along "
    "dim 0 they become one longer tensor, as torch.cat makes it."
)
JOINED_ELSEWHERE = "The chunks are joined along dim {dim}; dim 0 is asked for."
FLATTENED = "The elements are all there, but as one row. Give them the shape that is asked for."
OTHER_ORDER = "The chunks are all there, but in the order {order}: rank order is asked for."
ALL_SAME_CHUNK = "Every chunk of the result is rank {rank}'s: the others' never got there."

# shift_right
SHIFT_BYTES = "one message to the right neighbour."
SHIFTED_LEFT = (
    "It is what the right neighbour (rank + 1) has: everything went one rank to the left. Send to "
    "rank + 1, receive from rank - 1."
)
RETURNED_OWN = "It is what the rank itself had: nothing came from the left."

# broadcast_by_hand
TO_THE_SOURCE = (
    "Rank {rank} sends to rank {src} at line {line}. That is src, which has everything already."
)

FROM_ANOTHER = "Everywhere it is what rank {rank} had; rank {src}'s is asked for."

# central_all_reduce
NOT_THROUGH_0 = (
    "Rank {rank} sends to rank {peer} at line {line}. Here every message has rank 0 at one end."
)
OVERWRITTEN = (
    "Rank 0 receives into the tensor itself (line {line}), and a message overwrites what it lands "
    "on. To add, receive into a buffer."
)
HUB_SENDS = "Rank 0 sends {got} bytes; (N - 1)·M = {most} are enough."
HUB_RECEIVES = "Rank 0 is sent {got} bytes; (N - 1)·M = {most} are enough."

# hierarchical_all_reduce
TOO_MUCH_CROSSES = (
    "{got} bytes cross from node to node; 2(K - 1)·M = {most} are enough for K = {nodes} nodes of "
    "{size} ranks. Most of them cross in the {what} at line {line}: {cross} bytes."
)
TOGETHER_BETWEEN_NODES = (
    "Ranks {ranks} of node {node} take part in one {what} at line {line}, and ranks of other nodes "
    "do too. Sum inside the node first; in what goes between nodes one rank of each takes part."
)

# ring_time, tree_time
TIMES_OF_MANY = "World sizes from 2"
TIMES_OF_ONE = "One rank"
NOT_A_NUMBER = "{call} returns {got}. A float is asked for: seconds."
WRONG_TIME = "{call} returns {got}; it should be {wanted}. {why}"
TIME_ONE_RANK = "One rank has nobody to talk to: that takes no time."
TIME_HALF = "That is one of the two phases; an all-reduce has both."
TIME_WHOLE_TENSOR = "Every message is priced as the whole tensor; in a ring it is a chunk, 1/N."
TIME_ROUNDED_CHUNK = "nbytes / N is cut to a whole number; let it be a fraction."
TIME_ONE_STEP_MORE = "That counts N steps in each phase; a phase has N - 1."
TIME_ONE_LATENCY = "Latency is counted once; every message pays it."
TIME_NO_LATENCY = "Latency is left out."
TIME_NO_BYTES = "The bytes are left out."
TIME_SWAPPED = "alpha and beta are swapped: alpha is seconds a message, beta seconds a byte."
TIME_DIVIDED = "beta is seconds a byte: multiply by it."
TIME_RING_FOR_TREE = "That is a ring's time."
TIME_TREE_FOR_RING = "That is a tree's time."
TIME_FLOOR = "log2 N is rounded down; a tree over N ranks has ceil(log2 N) levels."
TIME_NOT_ROUNDED = "log2 N is not rounded; a tree has whole levels, ceil(log2 N) of them."
TIME_NATURAL_LOG = "That is the natural logarithm; levels double, so take it to base 2."
TIME_CHUNKS_IN_TREE = "A tree sends the whole tensor in every message, not 1/N of it."

# fused_all_reduce, bucketed_all_reduce
ALL_REDUCE_ONLY = "all_reduce"
FUSED_CALLS = (
    "Rank {rank} calls all_reduce {count} times for the {tensors} tensors of {dtype}; once is "
    "asked for."
)
FUSED_NEVER = (
    "Rank {rank} never calls all_reduce on {dtype}, of which the list has {tensors}. One call for "
    "each dtype is asked for, in that dtype."
)
FUSED_OTHER = (
    "Rank {rank} calls all_reduce on {dtype} (line {line}); no tensor of the list has that dtype."
)
NOT_COPIED_BACK = (
    "Nothing in the list has changed: the sum stands in the fused tensor alone. Copy it back, "
    "tensor by tensor, with copy_."
)
GAPS_LOST = (
    "Those that come out wrong are not contiguous. reshape and contiguous make a copy of such a "
    "tensor, and what is written there never gets back: use copy_ on the tensor itself."
)
ABOVE_CAP = (
    "Rank {rank} sends a bucket of {got} bytes at line {line}; bucket_bytes is {cap}, and no "
    "single tensor of the list has that size, or it has been sent already."
)
CAP_IN_ELEMENTS = "It looks as if bucket_bytes were taken for a number of elements."
TOO_MANY_BUCKETS = (
    "Rank {rank} sends {count} buckets; {most} are enough: a bucket is closed when the next tensor "
    "does not fit any more or has another dtype."
)
CLOSED_EARLY = "A bucket may be filled to the last byte: compare with <=."
BUCKET_OTHER_DTYPE = (
    "The tensors of {dtype} have {wanted} elements, but rank {rank} sends {got} in that dtype: one "
    "dtype a bucket, in the tensors' own."
)
NOT_IN_ORDER = (
    "On rank {rank} the {dtype} buckets have {sizes} elements. Filled in list order, from tensors "
    "of {tensors}, they can't come out like that."
)
BUCKET_MEMORY = (
    "Rank {rank} holds up to {got} bytes beside the tensors; two buckets, or twice the largest "
    "tensor, are {most}. Let go of one bucket before you fill the next but one."
)
