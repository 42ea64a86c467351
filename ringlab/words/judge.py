"""What the judge says to people."""

ELEMENTS = "{count} elements"
ONE_ELEMENT = "1 element"
SHAPE = "shape {shape}"
TENSOR = "{size}, {dtype}"
LIST_OF = "{count} tensors"
LIST_OF_ONE = "a list of 1 tensor"
LIST_OF_NONE = "an empty list"
CASE = "{world_size} ranks, {name}"
CASE_ONE_RANK = "1 rank, {name}"

GROUP_RUNS = "The cell runs"
GROUP_DIVIDES = "Sizes that the world size divides"
GROUP_UNEVEN = "Sizes that it does not divide"
GROUP_FEW = "Fewer elements than ranks"
GROUP_SHAPES = "Several dimensions, and none"
GROUP_EMPTY = "An empty tensor"
GROUP_DTYPES = "Every dtype that is promised"
GROUP_DELAYED = "Ranks that come late"
GROUP_SLICE = "Nothing else changes"
GROUP_ANSWERS = "What it returns"

WRONG_VALUES = (
    "Rank {rank} ends with {count} of {total} elements wrong: element {element} is {got}, "
    "it should be {expected}."
)
UNTOUCHED = (
    "On rank {rank} the tensor is as it was before: element {element} is {got}, it should be "
    "{expected}. The result belongs into the tensor that was given."
)
SPOILED = "On rank {rank} {what}."
STORAGE_SWAPPED = (
    "the tensor was made to point at other memory: write into the tensor that was given"
)
SHAPE_CHANGED = "the tensor's shape became {now}: it was {before}"
DTYPE_CHANGED = "the tensor's dtype became {now}: it was {before}"
NEIGHBOURS_CHANGED = "memory beside the tensor was written"
LIST_CHANGED = (
    "the list holds other tensors than before: write into the tensors that were given, with copy_"
)
RETURNED_SOMETHING = "It returns something; it should change the tensor in place and return None."

IN_TENSOR = "Tensor {index} of the list ({size}): {message}"
NOT_NEW = (
    "What rank {rank} returns lies in the memory of the tensor that was given. A new tensor is "
    "asked for: whoever changes the one later must not change the other."
)
INPUT_CHANGED = "On rank {rank} the tensor that was given is changed; it must stay as it was."
RETURNED_NO_TENSOR = "Rank {rank} returns {got}; a tensor is asked for."
RETURNED_DTYPE = "Rank {rank} returns {got}; it should be {wanted}, as what was given."
RETURNED_SHAPE = "Rank {rank} returns a tensor of shape {got}; it should be {wanted}."
RETURNED_VALUES = (
    "Rank {rank} returns a tensor with {count} of {total} elements wrong: element {element} is "
    "{got}, it should be {expected}."
)

ON_CASE = "On {case}: {message}"
AND_MORE = "{count} more of these cases fail."
NOT_RUN = "Not run: mend the others first."
SAME_AS = 'On {case}: the same as under "{name}".'
CELL_RAISED = "The cell can't be run: {what}."
REFUSED_FRAME = "A rank sent something that does not belong to this run."

TRAFFIC_FAILS = "{message}"
TRAFFIC_OPERATIONS = "Operations used"
TRAFFIC_PEERS = "Neighbours"
TRAFFIC_MESSAGES = "Messages sent by each rank"
TRAFFIC_BYTES = "Bytes sent by each rank"
TRAFFIC_CHAIN = "Rounds"
TRAFFIC_MEMORY = "Memory beside the tensor"
TRAFFIC_WAITS = "Every message is waited for"
TRAFFIC_TOTAL = "Messages in all"
TRAFFIC_ROUTE = "Where messages go"
TRAFFIC_PARTNERS = "Partners of each rank"

NO_MESSAGE = (
    "No message was sent on {world_size} ranks. A rank can know what the others hold only from "
    "messages."
)
NO_MESSAGE_FROM = "Rank {rank} sent no message, so the others can't know what it holds."
OTHER_OPERATION = "Rank {rank} uses {what} at line {line}. Allowed here: {allowed}."
WRONG_PEER = (
    "Rank {rank} sends to rank {peer} at line {line}. In this ring it sends only to rank {right}."
)
TOO_MANY_MESSAGES = "Rank {rank} sends {count} messages; {most} are enough."
TOO_MANY_BYTES = (
    "Rank {rank} sends {got} bytes of its {total}-byte tensor; {most} are enough: {reason}"
)
TOO_MANY_IN_ALL = "All ranks together send {count} messages; {most} are enough."
TOO_MANY_PARTNERS = (
    "Rank {rank} exchanges messages with {count} other ranks ({met}); at most {most} are allowed."
)
CHAIN_TOO_LONG = (
    "The longest chain has {count} messages, each of which had to wait for the one before; {most} "
    "are enough. Its last one goes from rank {src} to rank {dst} (line {line})."
)
RING_BYTES = "2(N - 1) chunks of ceil(n / N) elements."
TOO_MUCH_MEMORY = (
    "Rank {rank} holds up to {got} bytes beside the tensor; two chunks are {two} bytes. "
    "Reuse one buffer of a chunk's size."
)
NOT_WAITED = (
    "Rank {rank} never waits for its {what} from line {line}. Until a wait has ended, the message "
    "may still be under way: keep what isend and irecv return, and call wait() on it."
)
USED_TOO_EARLY = (
    "Rank {rank} uses the tensor of its {what} (from line {line}) at line {used}, before it has "
    "waited for it. Until its wait() has ended, what is in there is old, new, or some of both."
)
STALE = (
    "Rank {rank}: the tensor that the call before returned has other values now. Return a new one "
    "each time."
)
NOT_EVERY_TIME = (
    "The same call was right when it was repeated: something is used before it has arrived, or "
    "changed while it is being sent. Which lines wait for what?"
)
CELL_COMMUNICATES = (
    "The cell calls {what} when it is run, outside of your function. Communicate when you are "
    "called, and only then; groups may be made before."
)
OUT_OF_TIME = "Not run: the time for one answer, {seconds:.0f} seconds, was over."
REBOUND = (
    "Line {line} gives the name `{name}` to something new, and that doesn't change the tensor that "
    "was given. Change what is in it: `{name} /= 2`, `{name}.copy_(...)`. And all_reduce returns "
    "None: its result is in the tensor."
)
NOBODY_RECEIVED = "Rank {rank} sends a message to rank {peer} at line {line} that nobody receives."

P2P_ALLOWED = "send, recv, isend, irecv, batch_isend_irecv"

LOOK = "Look at: {what}"
MACHINERY = "The judge itself broke, not your answer: {reason}. Run the check again."
UNEXPECTED = "{type}: {message}"
NO_ANSWER_IN_CALL = (
    "check needs the function itself: check(ring_all_reduce), without quotes or brackets behind it."
)
UNKNOWN_EXERCISE = "{name!r} is no exercise of this course. Known are: {known}."
NO_SOURCE = (
    "The source of {name} can't be found. Define it in a cell of this notebook, run that cell, "
    "and check again."
)
CHECK_FAILED = "{exercise}: {verdict}. The report above says why."
"""The one line that a failed check raises."""
VERDICTS = {
    "passed": "passed",
    "failed": "not passed yet",
    "could not be judged": "could not be judged",
}
SOURCE = "The source"
NOT_WRITTEN = "It is not written yet: put your code in the place of `raise NotImplementedError`."
RANK_DID = "rank {rank} {text}"

GROUP_LARGE = "A large tensor"
GROUP_REFUSED = "Arguments that can't be right"
TWO_DEVICES = "The tensors are on different devices"
AND_ONE_ON_META = "{case}, and one more on the device meta"
NOT_REFUSED = (
    "{why}. Rank {rank} returned as if nothing was wrong: raise ValueError before anything is sent."
)
NOT_REFUSED_ENDED = "{why}: raise ValueError before anything is sent. Instead: {what}"
SENT_BEFORE_REFUSING = (
    "Rank {rank} communicates (line {line}) before it raises ValueError: look at the arguments "
    "first, so that no rank ever waits for one that has refused."
)
WHOLE_TENSOR = (
    "Every message carries the whole tensor (line {line}). A ring sends one chunk at a time: cut "
    "the tensor into N chunks."
)
WHO_CASE = "who_am_i()"
WHO_WRONG = "Rank {rank} returns {got}, it should be {wanted}. {why}"
WHO_NOT_INTS = "What is asked for is a tuple of two plain ints."
WHO_SWAPPED = "The two are swapped: the rank comes first."
WHO_RANK = "The world size is right; the rank is another process's."
WHO_SIZE = "The rank is right; the number of ranks is not."
RING_OF = "a ring of {world_size}"
STEP_NOT_PAIR = "{call} returns {got}. What is asked for is a tuple of two ints: (send, receive)."
STEP_NO_CHUNK = "{call} returns {got}. Chunks are numbered 0 to {last}."
STEP_DISAGREE = (
    "In a ring of {n}, at step {step}, rank {rank} sends chunk {sent}, but rank {right}, on its "
    "right, expects chunk {expected}. What one sends is what the other receives."
)
STEP_LAW = "In a ring of {n}: {law}"
PHASE_REDUCE = "reduce-scatter"
PHASE_GATHER = "all-gather"
OF_TYPE = "a {type}"
CHANGED_WHILE_SENT = (
    "Rank {rank} writes into the buffer of its {what} (line {line}) while it is still being sent. "
    "Wait for the send first."
)
IS_MEAN = "It is the mean over the ranks; the sum is asked for."
REMAINDER = (
    "The remainder is dropped: {n} elements don't divide by {world_size}, and the last {left} "
    "never travel."
)
BEFORE_THE_WAIT = (
    "Rank {rank} changes the tensor at line {line}, before the wait for its {what} (line {posted}) "
    "has ended. Wait first, then add."
)
CHANGED_TORCH = "Rank {rank} puts something else in the place of {name}. Leave torch as it is."
TOO_FEW_BYTES = (
    "Rank {rank} sends {got} bytes. Its part alone is {least}, and the others can know it only "
    "from messages: send the tensor's own dtype, all of it."
)
TRAFFIC_HIDDEN = "Every contribution came by a message"
HIDDEN = (
    "On {world_size} ranks, {elements} elements: rank {rank} ends with rank {src}'s part of "
    "element {element}, and no message that was recorded brought it there."
)
KEEPS_SOMETHING = (
    "Alone this case is right; behind others it is not. The answer keeps something from one call "
    "to the next: a global, a buffer made once, an argument's default."
)
TWO_ANSWERS = (
    "{call} was asked twice: it returns {one} once and {two} another time. The answer may depend "
    "on the arguments alone."
)
STRIDES_CHANGED = "the tensor's strides became {now}: they were {before}"
GRAD_CHANGED = "requires_grad was switched to {now}"
JUDGE_BROKE = (
    "The judge itself stopped at this answer ({fault}). This says nothing about the answer. Run "
    "the check again; if it stops once more, report it with this sentence and the file."
)
