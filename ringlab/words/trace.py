"""What the trace room says to people."""

BAD_ELEMENTS = "elements={elements!r}: a whole number from 0 to {most} for {world_size} ranks."
TITLE = "{name}, as it ran on {world_size} ranks"
UNWAITED = (
    "Rank {rank} never waited for its {what} (line {line}). Until the wait has ended, the buffer "
    "belongs to the message: call wait() on what isend and irecv return."
)
NOT_REPEATABLE = (
    "Two runs with different values sent different messages, so what a message carried can't be "
    "read. Let what is sent depend on rank and world size alone."
)
TRAFFIC_TITLE = "{name} on {world_size} ranks, {size} on each: counted, not computed"
TRAFFIC_COLUMNS = ("", "sent", "received", "messages")
RANK = "rank {rank}"
TOGETHER = "together"
ROUNDS = "messages on the longest chain, each of which waits for the one before: {count}"
NO_SUCH_PEER = "there is no rank {peer} here: the ranks are 0 to {last}"
