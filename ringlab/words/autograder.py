"""What the judge says about the exercises of lesson 12."""

# run_worker
GROUP_RUNS_ON = "It runs on {world_size} ranks"
GROUP_RUNS_ON_ONE = "It runs on 1 rank"
GROUP_MEAN = "The mean is computed"
GROUP_GRADIENT = "A wrong gradient is noticed on every rank"
GROUP_FEATURES = "A wrong feature is noticed on every rank"
GROUP_ERRORS = "An error in a collective comes through"
GROUP_LEAVES = "No group is left behind"
GROUP_BACKEND = "NCCL or gloo"
TRAFFIC_SENT = "What is sent"

SETS_ADDRESS = (
    "Rank {rank} sets {name} to {value!r}. Whoever starts the ranks has set it already, to a port "
    "that is free; a port of one's own is taken as soon as two graders run at once."
)
OTHER_METHOD = (
    "Rank {rank} joins its group by {method}. Use env://, which is what init_process_group does "
    "when it is told no address: it reads MASTER_ADDR and MASTER_PORT."
)
A_STORE = "a store of its own"
RAISED = "With {ranks}, rank {rank} raises {type}: {message}"
ENDED = "With {ranks}, rank {rank} ends its own process. Return, or raise an exception."
NO_GRADIENT = (
    "With {ranks}, rank {rank} never brings its gradient, 1024 elements of {value}, to an "
    "all_reduce. What it does bring: {seen}."
)
NO_FEATURE = (
    "With {ranks}, rank {rank} never brings its feature, 128 elements of {value}, to an "
    "all_gather. What it does bring: {seen}."
)
BROUGHT = "{count} × {value} to {name}"
BROUGHT_MIXED = "{count} elements to {name}"
NOTHING_BROUGHT = "nothing"
NO_MEAN = (
    "With {ranks}, rank {rank} never computes the mean of the gradients, {mean}: what the "
    "all_reduce gives is their sum. Divide it by the world size, or use ReduceOp.AVG."
)
GROUP_LEFT = (
    "After run_worker has returned, with {ranks}, rank {rank} still has its process group. "
    "Call destroy_process_group()."
)
GROUP_LEFT_AFTER = (
    "After run_worker has raised {type}, rank {rank} still has its process group. Put "
    "destroy_process_group() where an exception passes too: into a `finally`."
)
NOT_NOTICED = (
    "On rank {rank} of {world_size}, element {element} of what the {operation} gave was changed on "
    "purpose, and run_worker returns as if nothing were wrong. {why}"
)
ERROR_SWALLOWED = (
    "Each {operation} was made to raise an error on purpose, and on rank {rank} run_worker returns "
    "as if nothing were wrong. Let the exception out: whoever started the ranks must see it."
)
BROKEN_ON_PURPOSE = "this collective was broken on purpose, by the judge"
WHY_TUPLE = (
    "Line {line} asserts a tuple, which is true whatever is in it: take the brackets away, "
    "`assert condition, message`."
)
WHY_NO_ASSERT = "Nothing is asserted."
WHY_ONE_RANK = "Rank {rank} notices it: every rank has to look for itself."
WHY_LOOK = "Compare every element with what it should be."
WRONG_BACKEND = (
    "With {gpus} for {ranks} run_worker asks for the backend {backend!r}; it should be {wanted!r}: "
    "NCCL where every rank can have a GPU of its own, else gloo."
)
GPUS = ("no GPU", "1 GPU", "{count} GPUs")
RANKS = ("no rank", "1 rank", "{count} ranks")
NEVER_JOINS = (
    "With {ranks}, rank {rank} returns without a process group of its own: "
    "init_process_group was never called."
)

# grade_worker
GROUP_RIGHT = "Right workers pass"
GROUP_EXITS = "A rank that ends itself has not passed"
GROUP_FAILS = "One rank that fails is enough"
GROUP_WORK = "Work that was not done is seen"
GROUP_HANGS = "A rank that hangs has its deadline"
GROUP_BROKEN = "Files without a worker"
GROUP_NO_FILE = "Files that can't be read"
GROUP_CLEAN = "No process is left behind"
GROUP_PORT = "A free port each time"

IS_MISSING = "a path where there is no file"
IS_FOLDER = "a path that is a folder"
IS_RIGHT = "a worker that does everything right"
TALKS = "a right worker that prints 1.6 MB on each rank"
EXITS = "a worker that prints `passed` and leaves by `{how}` before any work, on every rank"
ONE_EXITS = "a worker that leaves one rank by `{how}` after the collectives"
DOES_NOTHING = "a worker that returns without a single collective"
HANGS = "a worker that sleeps on one rank, for hours"
ONE_FAILS = "a worker whose assertion fails on one rank"
CRASHES = "a worker that crashes on one rank"
NO_WORKER = "a file that defines no run_worker"
NO_PYTHON = "a file with a syntax error"
LEAVES_DAEMON = (
    "a right worker that leaves a process behind, in a session of its own, with the rank's output "
    "still open"
)

HINT_RIGHT = (
    "The ports that everybody writes down, 29500 and 12355, are taken here; and the file imports "
    "what it needs under names of its own."
)
HINT_OPEN = "Try to read the file first: what can't be read says nothing about its author."
HINT_RECEIPT = (
    "`mp.spawn` returns as if all were well when a rank ends with exit code 0. Believe a rank when "
    "it has told you, after run_worker has returned, and not before."
)
HINT_EVERY_RANK = "Ask every rank for its receipt: world_size of them, or it has not passed."
HINT_WORK = (
    "That nothing was raised is no proof. Count in each rank what it calls of torch.distributed, "
    "for example by a function of yours in the place of `dist.all_reduce`."
)
HINT_DEADLINE = "`mp.spawn(join=True)` waits for ever. Give the ranks until a time, then kill them."
HINT_DEFINED = "A file in which run_worker can't be found or loaded has failed."
HINT_PIPE = (
    "A pipe holds 64 KiB: a rank that prints more waits until somebody reads. Let ranks print into "
    "a file, or nowhere."
)
HINT_DAEMON = (
    "Its session is its own, so killing the ranks' process group does not reach it, and whoever "
    "reads the ranks' output to the end waits for it. What it does inherit is the environment."
)
WRONG_VERDICT = "Given {what} and {ranks}, grade_worker says {got}; it should be {wanted}. {hint}"
OR = " or "
GRADER_RAISED = "Given {what}, grade_worker raises {type}: {message}"
NO_ANSWER = (
    "Given {what}, grade_worker has not answered after {seconds:.0f} s; its timeout was "
    "{timeout:.0f} s. {hint}"
)
TOO_LATE = (
    "Given {what}, grade_worker answers after {seconds:.1f} s; its timeout was {timeout:.0f} s, "
    "and {slack:.0f} s more are allowed for starting and cleaning up. {hint}"
)
GRADER_DIED = "Given {what}, grade_worker's own process ended: {how}. {hint}"
HINT_FORKED = "What runs in a forked child must end there, by os._exit, and never return."
NEVER_RAN = (
    "Given {what} and {ranks}, grade_worker says it passed, but these ranks never got to its end: "
    "{missing}."
)
WRONG_WORLD = (
    "Given {what}, grade_worker says it passed, but it ran in a world of {got}; world_size was "
    "{wanted}."
)
SAME_PORT = (
    "{count} gradings, one after the other, all used port {port}. Two graders on one machine would "
    "meet there: let the system choose a free one each time (bind to port 0)."
)
LEFT_PROCESSES = (
    "After grade_worker has answered on {what}, something it has started is still there: {which}. "
    "{hint}"
)
A_COPY = "a forked copy of the grader's process"
HINT_KILL = "End every rank before you return, whatever happened: kill it, then wait for it."

# called_collectives
OF_IMPORTS = "Names through imports"
OF_BINDINGS = "Names that were bound"
OF_FUNCTIONS = "Functions, methods and blocks"
OF_DEAD_CODE = "Code that never runs"
OF_SHADOWS = "Others of the same name"
OF_KINDS = "What counts as communication"

PLAIN = "A call as everybody writes it"
FULL_PATH = "A call by the full path"
FROM_TORCH = "The module imported from torch"
FROM_TORCH_AS = "The module imported from torch under another name"
BARE_NAME = "A function imported by its own name"
OTHER_NAME = "Functions imported under other names"
SWAPPED_NAMES = "A function imported under another's name"
IMPORT_INSIDE = "An import inside the function"
IMPORT_BELOW = "An import below the function, which runs later"
TWO_MODULES = "Another library's function beside torch's"
LOCAL_NAME = "A local name for the function"
GLOBAL_NAME = "A name at the top level for the function"
CHAIN_OF_NAMES = "A name for a name"
BOUND_ANEW = "A name that is bound anew before it is called"
BY_GETATTR = "`getattr` with the name written out"
GETATTR_BOUND = "A name for what `getattr` gives"
BY_PARTIAL = "A `partial` that is called at once"
PARTIAL_BOUND = "A `partial` that is called later"
PARTIAL_ONLY = "A `partial` that is never called"
BY_HELPER = "A helper function"
TWO_FUNCTIONS = "Two functions at the top level; both count as called"
NESTED_CALLED = "A nested function that is called"
NESTED_NEVER = "A nested function that is never called"
LAMBDA_CALLED = "A lambda that is called"
LAMBDA_NEVER = "A lambda that is never called"
STATIC_METHOD = "A static method"
DEFINED_TWICE = "A function that a second one replaces"
UNDER_IF_TRUE = "A function under `if True`"
IN_BLOCKS = "Calls inside `with`, `try` and a comprehension"
IN_ARGUMENTS = "Calls among the arguments of another"
IF_FALSE = "A call under `if False`"
IF_ZERO = "A call under `if 0`"
ELSE_OF_TRUE = "A call in the `else` of `if True`"
IF_NOT_TRUE = "A call under `if not True`"
WHILE_FALSE = "A call under `while False`"
AFTER_RETURN = "A call after `return`"
AFTER_RAISE = "A call after `raise`"
AFTER_CONTINUE = "A call after `continue`"
RETURN_IN_ONE_WAY = "A call after a `return` under a condition"
ZERO_AND = "A call behind `0 and`"
TRUE_OR = "A call behind `True or`, and one behind an `or` that is open"
CONDITIONAL = "A conditional expression whose condition is `True`"
EMPTY_LOOP = "Loops over nothing"
ANNOTATION = "Annotations"
ONLY_NAMED = "Functions that are only named"
IN_TEXT = "Calls in text and comments"
SAME_CLASS = "A class with an attribute of that name"
MOCK = "A mock in the module's place"
REPLACED = "A function that was replaced"
PARAMETER = "A parameter of the module's name"
NAME_AS_PARAMETER = "A parameter of the function's name"
LOCAL_OF_THAT_NAME = "A local name that hides the module"
OWN_FUNCTION = "A function of the source that hides torch's"
ATTRIBUTE_OF_OTHERS = "Methods of that name of other objects"
ONLY_ELSEWHERE_LOCAL = "A name that is hidden in another function only"
NO_COMMUNICATION = "Functions that don't communicate"
UNKNOWN_CONDITION = "A condition that the source can't decide"
SWALLOWED = "A call that will fail: it is a call"
TWICE = "The same function twice"
NOTHING_CALLED = "A program without a call"
EMPTY_PROGRAM = "A program of one comment"
NOT_A_SET = "{what}: it returns {got}. A set of names is asked for."
PROGRAM_WRONG = "{what}: it returns {got}; it should be {wanted}. The program:\n{source}"
NO_NAMES = "an empty set"
