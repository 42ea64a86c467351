"""What the algorithms say when they are asked for what can't be. Templates for str.format."""

NO_SUCH_ROOT = "The root is a rank from 0 to {last}, not {root}."
TOO_FEW_CHUNKS = (
    "This algorithm cuts the tensor of {world_size} ranks into {parts} parts: "
    "at least {parts} chunks are needed, not {count}."
)
RANKS_PER_NODE = (
    "{world_size} ranks can't be shared out to nodes of {ranks_per_node}: "
    "the world size must be a multiple of ranks_per_node."
)
BAD_BLOCKS = "Each tree needs at least 1 block, not {blocks}."
