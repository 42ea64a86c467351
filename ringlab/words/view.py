"""What the view room says: pictures, player, filmstrip, report, prediction. Templates only."""

COLLECTIVE_TITLES = {
    "all_reduce": "AllReduce",
    "reduce": "Reduce",
    "reduce_scatter": "ReduceScatter",
    "broadcast": "Broadcast",
    "scatter": "Scatter",
    "gather": "Gather",
    "all_gather": "AllGather",
    "all_to_all": "AllToAll",
}
TITLE = "{name} {collective}, {ranks}"
RANK_COUNT = ("1 rank", "{count} ranks")
STEP = "step {step} of 0–{last}"
STEP_ALONE = "step 0, the only one"
AFTER = "after step {last}"
NO_STEPS = "no steps"
WITH_PHASE = "{step} · {phase}"
RECEIVERS = ("receivers overwrite", "receivers add")
DONE = "done"
NOT_RIGHT = "not right"

TABLE_HEADING = "who is in which chunk, on each rank"
CHUNK = "chunk {chunk}"
CHUNK_COLUMNS = "chunk"
HOW_MANY = "{count}/{all}"
CHUNK_ELEMENTS = ("1 element", "{count} elements")
CHUNK_ELEMENTS_SHORT = "{count} el."
RANK = "rank {rank}"

SENDS = ("→ sends", "→")
ADDS = ("+ receives, adds", "+ adds", "+")
OVERWRITES = ("= receives, overwrites", "= overwrites", "=")
SENDS_AND_ADDS = ("→ sends, + adds", "→ +")
SENDS_AND_OVERWRITES = ("→ sends, = overwrites", "→ =")
COMPLETE = ("✓ complete", "✓")
COMPLETE_TOO = "✓ {action}"
LACKS = ("✗ lacks {whose}", "✗ lacks {count}", "✗")
TWICE = ("✗ {whose} counted {times}×", "✗ {whose} {times}×", "✗ {times}×")
UNEXPLAINED = ("✗ no sum of parts", "✗ no sum", "✗")
BELONGS_ELSEWHERE = ("✗ {whose} not wanted", "✗ {count} extra", "✗")
UNKNOWN = "?"
TIMES = "{count}×"

LEGEND_IN = "rank's part is in"
LEGEND_OUT = "not in yet"
LEGEND_SENDS = "→ sends"
LEGEND_ADDS = "+ receives, adds"
LEGEND_OVERWRITES = "= receives, overwrites"
LEGEND_COMPLETE = "✓ complete"
LEGEND_ORDER = "Boxes in a chunk: {order}."
LEGEND_ROUND = " Under them who is in: 14–2 is 14 round to 2."
LEGEND_ORDER_ROW = "ranks {first} to {last}"
LEGEND_THEN = ", below "
LEGEND_TIMES = "counted twice"
LEGEND_UNKNOWN = "no sum of parts"
LEGEND_BEFORE = "sent before this step"
LEGEND_NOW = "sent in this step"
LEGEND_LEAST = "the least possible"

RING_HINT = "rank r sends to r + 1"
ONLY_RANK = "one rank alone"
IN_THE_TABLE = "what travels: see the table"
SEVERAL_CHUNKS = "{count} chunks"

SENT_BY_EACH = "sent by each rank so far"
SENT_BY_BUSIEST = "sent by rank {rank}, the busiest"
SENT = "{sent} of {all_sent} · all ranks: {messages} of {all_messages} messages"
SENT_LEAST = (
    "{sent} of {all_sent}, the least possible: {least} · "
    "all ranks: {messages} of {all_messages} messages",
    "{sent} of {all_sent}, least: {least} · all ranks: {messages} of {all_messages} messages",
    "{sent} of {all_sent}, least: {least} · all: {messages} of {all_messages} messages",
)
NOTHING_TO_SEND = "nothing to send"

# Captions.
# A pair is (of a plan, of a recorded run, which says nothing of when a message was taken).
PASSES_ON = (
    "Rank {src} passes {chunk}, {holding}, to rank {dst}, which {does}. "
    "Every rank does the same at the same time with another chunk.",
    "Rank {src} passes {chunk}, {holding}, to rank {dst}, which {does}. "
    "Every rank does the same with another chunk, without waiting for one another.",
)
SENDS_ONE = "Rank {src} sends {chunk}, {holding}, to rank {dst}, which {does}."
SENDS_TO_SEVERAL = (
    "Rank {src} sends {chunk}, {holding}, to {dsts} at the same time. Each {does}.",
    "Rank {src} sends {chunk}, {holding}, to {dsts}. The messages go without waiting for one "
    "another. Each rank {does}.",
)
SEVERAL_SEND = (
    "{srcs} send {chunk} to rank {dst} at the same time. It {does}.",
    "{srcs} send {chunk} to rank {dst} without waiting for one another. It {does}.",
)
SEVERAL_MESSAGES = (
    "{count} messages at the same time. One of them: rank {src} sends {chunk}, {holding}, "
    "to rank {dst}, which {does}.",
    "{count} messages that go without waiting for one another. One of them: rank {src} sends "
    "{chunk}, {holding}, to rank {dst}, which {does}.",
)
NO_MESSAGE = "No message in this step."
HOLDS_NOTHING = "with nothing in it yet"
HOLDS_OWN = "so far its own part alone"
HOLDS_ONE = "so far rank {rank}'s part alone"
HOLDS_ITS_OWN = "its own"
HOLDS_FROM = "which is rank {rank}'s"
HOLDS_SUM = "now the sum of {count} ranks"
HOLDS_ALL = "complete"
HOLDS_UNKNOWN = "a value that no sum of parts gives"
HOLDS_TWICE = "in which {whose} {be} counted more than once"
HOLDS_VARIOUS = "each with what it holds of them"
DOES_ADD = "adds it to what it has"
DOES_OVERWRITE = "puts it in the place of what it had"
DOES_ADD_SEVERAL = "adds them to what it has"
DOES_OVERWRITE_SEVERAL = "puts them in the place of what it had"
DOES_FILL = "keeps it"
DOES_FILL_SEVERAL = "keeps them"
END_RIGHT = "Done: every rank has what it should have."
END_ALL_REDUCE = "Done: every rank holds every chunk, with each rank's part in it once."
END_ALONE = "One rank has nobody to exchange with. Its own part is the result already."
END_WRONG = "Over, but not right: {wrong} of {all} chunks on the ranks are not as they should be."
START_ONLY = "No message was sent."
IS = "is"
ARE = "are"

DESCRIPTION = "{caption} {table}"
ROW = "Rank {rank} holds {cells}."
CELL = "chunk {chunk}: {ranks}"
CELL_NOTHING = "nothing"
CELL_UNKNOWN = "a value that no sum of parts gives"

CODE_HEADING = "your code, with the lines of this step lit"
CODE_GAP = "⋯"
CODE_SEND = "send"
CODE_RECEIVE = "receive"
CODE_BOTH = "send, receive"

MORE_NOTES = "… and {count} more"
NOTES_LATER = "What goes wrong is said {places}."
NOTES_AT = "at {steps}"
NOTES_AT_END = "after the last step"
NOTES_AND_AT_END = "{places}, and after the last step"

# Player.
PREVIOUS = "Prev"
NEXT = "Next"
PLAY = "Play"
PAUSE = "Pause"
RESET = "Reset"
SLIDER = "step"
PREVIOUS_TIP = "One step back"
NEXT_TIP = "One step on"
PLAY_TIP = "Play the steps, or pause"
RESET_TIP = "Back to step 0"
NOT_A_SCHEDULE = (
    "{kind} can't be shown: a Schedule, a Playback, or something with playback() is needed."
)
TOO_MANY_RANKS = "{world_size} ranks are too many to draw: {most} at most."
NO_SUCH_STEP = "There is no step {step}: the pictures go from 0 to {last}."

# Filmstrip.
ALT = "{title}, as {frames} pictures of who is in which chunk on each rank. {steps} {end}"
ALT_SOME = "Some of the steps are left out. "
ALT_STEP = "Step {step}, {phase}: {caption}"
ALT_STEP_PLAIN = "Step {step}: {caption}"
FRAME_STEP = "step {step}"
FRAME_START = "start"
FRAME_END = "after step {last}"
FRAME_DOES = ("overwrites", "adds")
FRAME_KEY = (
    "Rows are ranks, columns are chunks. A filled box: that rank's part is in. "
    "Thick border: sends. Dashed border: receives. Thick and dashed: both. Grey: complete."
)
FRAME_KEY_MANY = (
    "Rows are ranks, columns are chunks. The bar: how many ranks' parts are in. "
    "Thick border: sends. Dashed border: receives. Thick and dashed: both. Grey: complete."
)
FRAME_KEY_WRONG = " Border at the end: not as it should be."
FRAMES_LEFT_OUT = "{count} steps are left out."

# Report.
VERDICTS = {
    "passed": "passed",
    "failed": "failed",
    "could not be judged": "could not be judged",
}
LAYERS = {"source": "Source", "behaviour": "Behaviour", "traffic": "Traffic"}
LAYER_ASKS = {
    "source": "what the code says",
    "behaviour": "what the ranks end with",
    "traffic": "what the ranks sent",
}
REPORT_TITLE = "{exercise}: {verdict}"
REPORT_COUNT = "{passed} of {count} checks passed"
REPORT_SECONDS = "{seconds:.1f} s"
LAYER_PASSED = ("its one check passed", "all {count} passed")
LAYER_FAILED = "{failed} of {count} failed"
LAYER_NOT_REACHED = "not looked at"
LAYER_NOT_ASKED = "nothing is asked here"
LAYER_CHECKS = "{count} passed"
LAYER_ALL_CHECKS = "what was checked"
ON_RANK = "rank {rank}"
AT_LINE = "line {line}"
MORE_FAILED = ("and 1 more failed check", "and {count} more failed checks")
COULD_NOT_BE_JUDGED = "The course could not judge this. It is no verdict on your code."

# Prediction.
PREDICT = "Predict"
LOCK_NOTE = "Your answer is locked when the cell that settles it runs."
NO_KERNEL_NOTE = "Answer for yourself before you read on."
CHOICES = "Choose: {options}."
RANGE = "From {low} to {high}."
YOUR_ANSWER = "You said: {answer}."
NO_ANSWER = "You gave no answer."
THE_ANSWER = "It is {answer}."
THE_ANSWER_TEXT = "The answer: {answer}."
ANSWER = "Answer"
RIGHT = "As you said."
BAD_PREDICTION = (
    "A prediction needs options to choose from, or a slider's low and high with low < high."
)
