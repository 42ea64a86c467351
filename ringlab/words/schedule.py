"""What the schedule room says to a learner. Templates for str.format; nothing here computes.

A pair is (about one rank's part, about the parts of several ranks).
"""

AT_LINE = " (line {line})"

NO_SUCH_RANK = (
    "At step {step} a message goes from rank {src} to rank {dst}, but there is no rank {rank}: "
    "with a world size of {world_size} the ranks are 0 to {last}."
)
NO_SUCH_CHUNK = (
    "At step {step} rank {rank} sends chunk {chunk} to rank {peer}, but there is no chunk {chunk}: "
    "of {chunk_count} the last is chunk {last}."
)
SENT_TO_ITSELF = (
    "At step {step} rank {rank} sends chunk {chunk} to itself. A message needs two ranks."
)
WRONG_CHUNK = (
    "At step {step} chunk {came} from rank {peer} lands in chunk {chunk} of rank {rank}{line}. "
    "Elements of different chunks must not be mixed."
)
TWO_WRITES = (
    "At step {step} chunk {chunk} of rank {rank} is written more than once, by {peers}. "
    "What it holds afterwards depends on which message comes last."
)
OVERWRITTEN_BEFORE_USE = (
    "At step {step} the message from rank {peer} overwrites chunk {chunk} on rank {rank}{line}, "
    "and with it the last copy of rank {whose}'s part.",
    "At step {step} the message from rank {peer} overwrites chunk {chunk} on rank {rank}{line}, "
    "and with it the last copy of the parts of ranks {whose}.",
)
TO_BE_ADDED = " Was it to be added?"
SENT_BEFORE_HELD = (
    "At step {step} rank {rank} sends chunk {chunk} to rank {peer} to keep{line}, "
    "but rank {whose}'s part is not in it yet{cause}.",
    "At step {step} rank {rank} sends chunk {chunk} to rank {peer} to keep{line}, "
    "but the parts of ranks {whose} are not in it yet{cause}.",
)
SENT_NOTHING = (
    "At step {step} rank {rank} sends chunk {chunk} to rank {peer}{line}, "
    "but it holds nothing of that chunk yet."
)
COUNTED_TWICE = (
    "At step {step} rank {rank} adds chunk {chunk} from rank {peer}{line}, but rank {whose}'s part "
    "is in there already: it is now counted {times} times.",
    "At step {step} rank {rank} adds chunk {chunk} from rank {peer}{line}, but the parts of "
    "ranks {whose} are in there already: they are now counted up to {times} times.",
)
COUNTED_TWICE_WITHOUT_MESSAGE = (
    "After step {step} rank {whose}'s part of chunk {chunk} is counted {times} times on rank {rank}"
    ", and no message did that: rank {rank} added it by itself.",
    "After step {step} the parts of chunk {chunk} of ranks {whose} are counted up to {times} times "
    "on rank {rank}, and no message did that: rank {rank} added them by itself.",
)
ENDS_DOUBLE = (
    "Rank {whose}'s part of chunk {chunk} ends up {times} times on rank {rank}{cause}.",
    "The parts of chunk {chunk} of ranks {whose} end up to {times} times on rank {rank}{cause}.",
)
CAME_DOUBLE = ": the message from rank {peer} at step {step}{line} brought it so"
MISSING = (
    "Rank {whose}'s part of chunk {chunk} is missing on rank {rank}: {cause}.",
    "The parts of chunk {chunk} of ranks {whose} are missing on rank {rank}: {cause}.",
)
LOST_HERE = (
    "it was overwritten at step {step} by the message from rank {peer}{line}",
    "they were overwritten at step {step} by the message from rank {peer}{line}",
)
LOST_ELSEWHERE = (
    "it was overwritten on rank {at} at step {step} by the message from rank {peer}{line}",
    "they were overwritten on rank {at} at step {step} by the message from rank {peer}{line}",
)
LOST_WITHOUT_MESSAGE = (
    "it is gone from rank {at} after step {step}{line}, and no message did that",
    "they are gone from rank {at} after step {step}{line}, and no message did that",
)
STUCK = (
    "it came as far as rank {at} and was not sent on",
    "they came as far as rank {at} and were not sent on",
)
NEVER_LEFT = ("it never left rank {at}", "they never left rank {at}")
NEVER_BROUGHT = ("no message brought it", "no message brought them")
SENT_WITHOUT = (
    "rank {peer} sent the chunk without it at step {step}{line}",
    "rank {peer} sent the chunk without them at step {step}{line}",
)
UNEXPLAINED = (
    "After step {step} chunk {chunk} on rank {rank}{line} holds a value that is no sum of the "
    "ranks' parts of that chunk."
)
UNEXPLAINED_AT_THE_START = (
    "Before the first message chunk {chunk} on rank {rank} holds a value that is no sum of the "
    "ranks' parts of that chunk."
)
NOT_WANTED = (
    "Rank {whose}'s part is in chunk {chunk} on rank {rank}, where it does not belong: "
    "the message from rank {peer} brought it at step {step}{line}.",
    "The parts of ranks {whose} are in chunk {chunk} on rank {rank}, where they do not belong: "
    "the message from rank {peer} brought them at step {step}{line}.",
)

BAD_WORLD_SIZE = "A schedule needs at least 1 rank, not {world_size}."
BAD_CHUNK_SIZES = "Chunk sizes are counts of elements, 0 or more each, not {chunk_sizes}."
CHUNKS_PER_RANK = (
    "With {world_size} ranks {collective} needs a chunk count that is a multiple of {unit}, "
    "not {chunk_count}."
)
UNKNOWN_COLLECTIVE = "There is no collective called {collective!r}. Known: {known}."
NEEDS_ROOT = "A {collective} needs a root from 0 to {last}, not {root}."
BAD_VALUES = "Values are needed for {world_size} ranks with {chunk_count} chunks each."
UNKNOWN_ALGORITHM = "There is no algorithm called {name!r}. Known: {known}."
CHUNK_COUNT = "A ring of {world_size} ranks cuts the tensor into {world_size} chunks, not {count}."
BAD_INTO = "A message of {count} chunks needs as many places to land, not {places}."
