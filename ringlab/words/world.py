"""What the world room says to people."""

BAD_START = "start={start!r} is not known. Use one of: {known}."
BAD_BACKEND = "backend={backend!r} is not known. Use one of: {known}."
NCCL_MISSING = "This torch was built without NCCL. Use backend='gloo'."
NCCL_GPUS = (
    "NCCL needs a GPU of its own for each rank: {ranks} ranks were asked for, {gpus} GPUs are "
    "here. Use backend='gloo', or fewer ranks."
)
NO_FORK = (
    "start='fork' is not safe with {backend} on {platform}. Use start='spawn', or leave it 'auto'."
)
BAD_WORLD_SIZE = "world_size={world_size!r}: how many ranks? A whole number from 1 to {most}."
TOO_MANY_RANKS = (
    "{world_size} ranks need about {needed} MiB of memory, and {free} MiB are free on this "
    "machine. Use at most {most} ranks here."
)
BAD_TIMEOUT = "timeout={timeout!r}: give a positive number of seconds."
CANNOT_TRAVEL = (
    "{name} can't travel to another process: {reason}. What it uses from outside is sent along "
    "with it. Create the part that can't be sent inside the function."
)
NOT_CALLABLE = "run needs a function; {value!r} is none."
RESULT_CANNOT_TRAVEL = (
    "what {name} returned on rank {rank} can't be sent back: {reason}. "
    "Return plain values or tensors."
)
RESULT_CANNOT_BE_READ = "what {name} returned on rank {rank} can't be read here: {reason}."
NO_HOST = (
    "The process that starts the ranks did not come up. It said:\n{said}\n"
    "Check the set-up with ./course doctor."
)
LOST = "The run broke in the course's own machinery: {reason}. Run it again."
NOT_POSIX = "Ranks need Linux or macOS. On Windows, use WSL: see README.md."

TITLE_RAISED = "{ranks} failed in {name}."
TITLE_DIED = "{ranks} died in the middle of {name}."
TITLE_EXIT = "{ranks} left by ending the process in the middle of {name}."
TITLE_HUNG = "{name} hangs: no rank moves any more. Stopped after {seconds:.1f} s."
TITLE_DEADLINE = "{name} did not finish in {seconds:.0f} s and was stopped."

DID_RAISE = "raised {type}: {message}"
LOST_PEER = "the connection to another rank broke"
NO_PAIR = "gloo has no connection for this message: a rank can't send to itself"
DID_EXIT = "ended its process ({how})"
DID_DIE = "was ended by {signal}"
DID_RETURN = "has returned"
DID_RETURN_LAST = "has returned, after {count} operations"
IS_WAITING = "waits in {what}"
IS_RUNNING = "was still running"
IS_RUNNING_AFTER = "was still running; its last operation was {what}"
WAS_WAITING = "was waiting in {what}"
WAS_STOPPED = "was stopped while running"
BROKEN_FRAME = "sent something that does not belong to this run"
AT_LINE = "line {line}: {code}"
AT_LINE_BARE = "line {line}"

DROPPED = (
    "Rank {rank} posted a {what} at line {line} and never waits for it, while rank {peer} waits "
    "for that message. Keep what isend and irecv return, and call wait() on it."
)
WAITED_AGAIN = (
    "Rank {rank} has already waited for its {what}. On gloo a second wait for the same message "
    "never ends: wait once."
)
GROUPS_DIFFER = (
    "The ranks don't make the same groups: as number {number}, {details}. Every rank calls "
    "new_group for every group, in the same order, also for those that it is not in."
)
GROUP_OF = "rank {rank} asks for {members}"
GROUP_NONE = "rank {rank} makes no more"
CIRCLE = "A circle: {path}. Each waits for the next, so none can go on."
CIRCLE_OF_SENDS = (
    "A circle: {path}. Each waits in a send until the next one receives, and none receives. "
    "Let a rank post its receive before it waits for its send: isend, then recv, then wait."
)
NOBODY_SENDS = "Rank {rank} waits for rank {peer}, but rank {peer} {state} without sending to it."
NOBODY_RECEIVES = (
    "Rank {rank} waits for rank {peer} to receive, but rank {peer} {state} without receiving "
    "from it."
)
HAS_RETURNED = "has returned"
HAS_FAILED = "has failed"
NO_SUCH_RANK = "{what} names {ranks}; the ranks here are 0 to {last}."
MISSING_RANKS = "{ranks} never came to the {what} in which {waiting} wait{s}."
DIFFER = "The ranks' operations first differ at number {position}: {details}."
DIFFER_ONE = "rank {rank}: {what}"
DIFFER_NOTHING = "nothing more"
SIZES_DIFFER = (
    "The ranks' tensors differ in {what}: {details}. Every rank must bring the same number of "
    "elements of the same dtype."
)
SIZES_DIFFER_ONE = "rank {rank} has {dtype} {shape}, {nbytes} bytes"
MESSAGE_LONGER = (
    "Rank {src} sends {sent} bytes to rank {dst} (line {send_line}), which has room for {room} "
    "(line {recv_line}).{dtypes}"
)
OTHER_DTYPE = " The dtypes differ: {sent} is sent, the buffer is {room}."
GLOO_SAYS = "gloo says: {text}"

RUN_TITLE = "{name} on {world_size} ranks"
RUN_FOOTER = "{seconds:.2f} s, {backend}"
OUTPUT_CUT = "[... {count} more characters were cut]"
NOT_WRITTEN = "{name} is not written yet. This cell shows its run as soon as it is."
STARTING = "Starting the ranks for the first time. This takes a few seconds, once."
TOO_MANY_OPERATIONS = "more than {most} communication operations in one call; it was stopped"
