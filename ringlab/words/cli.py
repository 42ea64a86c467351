"""What `./course` and the notebooks it builds say."""

# set-up
TOO_OLD = "This course needs Python 3.11 or newer; {executable} is {version}."
NO_ENSUREPIP = (
    "{executable} can't make an environment: its ensurepip module is missing. On Debian and "
    "Ubuntu install the package python{major}.{minor}-venv, then run the same command again."
)
SETTING_UP = "Setting up the course in {folder}: once, some minutes. What pip says goes to {log}."
UPDATING = "The course's list of packages has changed: bringing {folder} up to date."
STEP_VENV = "  making the environment ({python})"
STEP_TORCH_CPU = "  installing PyTorch, CPU build, from {index}"
STEP_PACKAGES = "  fetching the packages"
STEP_DOWNLOAD = "    {name}, {size}"
STEP_UNPACK = "  installing them"
SET_UP = "Set up in {seconds:.0f} s."
NO_CPU_INDEX = (
    "  PyTorch's CPU index ({index}) can't be reached: taking PyTorch from the default index, "
    "where the Linux build is made for CUDA and can come to {gigabytes} GB of downloads."
)
WAITING = "Another ./course is setting up this folder: waiting until it is done."
FOREIGN_ENV = "{folder} was not made by this course: kept as {kept}."
READ_ONLY = "{folder} can't be written to ({reason}): copy the course to a folder of your own."
DISK_FULL = (
    "The disk is full: {free} free at {folder}, and the set-up needs about {needed}. "
    "Make room, then run the same command again."
)
NO_NETWORK = (
    "The package index can't be reached, so the packages could not be installed. "
    "Run the same command again once there is a network."
)
NO_TORCH_WHEEL = (
    "There is no PyTorch {torch} for {executable} ({version}, {platform}). "
    "Install Python 3.11, 3.12 or 3.13 and run the same command again."
)
VENV_FAILED = "{executable} could not make the environment: {reason}"
PIP_FAILED = "pip could not install the packages: {reason} All of its output is in {log}."
STOPPED = "Stopped. The next call starts the set-up over."

# the commands
DESCRIPTION = "An interactive notebook course on GPU collective communication."
HELP_LAB = "open JupyterLab on the first lesson, in your own copies under work/"
HELP_TEST = "run every check of the project; --full adds the long ones"
HELP_CHECK = "judge your answer to an exercise: the newest one in work/, or FILE"
HELP_RESET = "bring a fresh copy of a lesson into work/ and keep the old one beside it"
HELP_EXERCISE = "copy the file of an exercise into work/, to write it in an editor"
HELP_BUILD = "build notebooks, exercises and solved notebooks from lessons/ and solutions/"
HELP_BENCH = "measure what this machine does"
HELP_DOCTOR = "say what this machine has and what a run would use"
NO_BROWSER = "serve only, open no browser"
PORT = "port to serve at; without it a free one is taken"
JSON_LINES = "one line of JSON a file"
SEED = "draw the values of an earlier judgement again; a gradebook names its seed"
JSON_DOCTOR = "as JSON"
CHECK_ONLY = "change nothing; fail if a committed file differs from what would be built"
NO_EXECUTE = "don't run the lessons; keep the stored outputs of cells that have not changed"
LESSON_ARGUMENT = "a lesson: 04, or its name"
FULL = "the long tests too"
JUPYTER_ARGUMENTS = "anything else goes to jupyter lab as it is"

SERVING = "JupyterLab on port {port}, folder {folder}. Ctrl-C here ends it."
PORT_TAKEN = "Port {port} is taken: choose another with --port, or leave --port away."
BAD_PORT = "{port} is not a port: they go from 1 to 65535."
NO_LESSONS = "There are no notebooks to open: notebooks/ is empty. `./course build` makes them."
NO_LESSON = "There is no lesson {name!r}. The lessons are: {known}."
NO_EXERCISE = "There is no exercise {name!r}. The exercises are: {known}."
NO_FILE = "There is no file {path}."
NO_ANSWER_YET = (
    "There is no answer to {exercise} in work/ yet. Write it in the lesson's notebook "
    "(./course lab), or copy its file with ./course exercise {exercise}."
)
JUDGING = "Judging {path}, saved {minutes} min ago."
ALSO_IN = "There is an answer in {path} too. To judge it: ./course check {exercise} {path}"
NOT_DEFINED_IN = "{path} does not define {exercise}. Is the name spelled right there?"
SAVE_FIRST = (
    "Nothing is written in it yet. Changes in JupyterLab count when they are saved: Ctrl+S."
)
COPIED = "New in work/: {names}"
KEPT = "Kept your {old} as {kept}."
FRESH = "{path} is fresh."
ALREADY_THERE = "{path} is there already and stays as it is."
WORK_FAILED = "{path} can't be written: {reason}."

STEP_OK = "{name}: ok, {seconds:.1f} s"
STEP_FAILED = "./course test stopped at this step: {name}."
STEP_RUNS = "--- {name}"
ALL_PASSED = "Every step passed, in {seconds:.0f} s."

# building
BUILT = "{path}: built, {seconds:.1f} s"
UNCHANGED = "{path}: unchanged"
UP_TO_DATE = "{count} files are what lessons/ and solutions/ build."
MISSING = "{path} is missing. Run ./course build."
LEFTOVER = "{path} is built from no lesson: remove it, or give it its lesson."
DIFFERS = "{path}, {where}: {found} is committed, {expected} would be built."
NOTHING = "nothing"
NO_NOTEBOOK = "{path} is not a notebook ({reason}). Run ./course build."
NOT_CANONICAL = "{path} is not written as ./course build writes it. Run ./course build."
STALE_OUTPUT = "{path}, cell {cell}: an output is stored where none belongs. Run ./course build."
WIDGET_LEFT = "{path} holds a widget's state, which no reader without a kernel can show."
NO_SOLUTION = "{lesson} asks for the exercise {exercise}, and {path} does not exist."
NOT_IN_CATALOG = "{lesson} asks for the exercise {exercise}, and the catalog does not have it."
ASKED_TWICE = "The exercise {exercise} is asked for twice: in {first} and in {second}."
NO_MARKERS = "{path} needs ### BEGIN SOLUTION and ### END SOLUTION, each BEGIN with its END."
UNTAGGED = (
    "{lesson}: this cell uses {exercise}, the learner's answer, without the tag needs-answer: "
    "{line!r}"
)
BAD_NAME = "{path}: a lesson is called NN_name.md, in lower case."
CELL_FAILED = "{lesson}: the cell that starts {line!r} failed: {error}"

# what a learner reads in a built notebook
TODO_COMMENT = "# TODO: your code here."
TODO_ERROR = "{exercise} is not written yet."
TODO_HEADER = (
    "# Lesson {lesson:02d}, exercise {exercise}: {title}.\n"
    "# When it is written: ./course check {exercise} work/{exercise}.py\n"
)
PROMPT = "### Exercise: {title}\n\n{task}\n\n*`{exercise}`, {points} points.*"
HINTS = "{hints}\n\n*A worked answer is in `solutions/{notebook}`.*"
HINT = "<details><summary>Hint {number}</summary>\n\n{hint}\n\n</details>"

# doctor
DOCTOR_TITLE = "What this machine has"
ROW_PYTHON = "Python"
ROW_PACKAGES = "packages"
ROW_SYSTEM = "system"
ROW_CORES = "cores"
ROW_MEMORY = "memory"
ROW_BACKENDS = "backends"
ROW_GPUS = "GPUs"
ROW_RANKS = "ranks"
ROW_SANDBOX = "sandbox"
ROW_GUARANTEES = "guaranteed"
ROW_MISSING = "not so"
CORES_ALL = "{total}, all of them usable"
CORES_SOME = "{total}, of which this process may use {usable:g}"
MEMORY = "{available} free of {total}"
MEMORY_LIMITED = "{available} free of {total}; this process may use {limit}"
NO_TORCH = "not known: torch is not installed"
NO_GPUS = "none"
BACKEND_LINE = "{available}; not in this build: {missing}"
BACKEND_LINE_ALL = "{available}"
RANKS_GLOO_FORK = "gloo, forked from a preloaded host process"
RANKS_GLOO_SPAWN = "gloo, each started by mp.spawn ({reason})"
RANKS_NCCL = "up to {gpus}: nccl, one GPU each, started by mp.spawn; more than {gpus}: {gloo}"
RANKS_NO_TORCH = "none can be started: torch is not installed"
SPAWN_PLATFORM = "forking is not safe on {platform}"
SANDBOX_WORKS = "{name} works here; ./course grade uses it"
SANDBOX_NONE = "none works here"
