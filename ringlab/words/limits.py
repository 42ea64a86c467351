"""What the limits of a run say to people."""

TITLE = "{name} went over a limit and was stopped."
TOO_MANY_PROCESSES = (
    "It had {most} processes at once, or more. A call must not start processes without end."
)
TOO_MUCH_WRITTEN = "It wrote more than {most} into its folder."
TOO_MANY_FILES = "It made more than {most} files in its folder."
BEYOND_MEMORY = "a rank may take {most} of memory here"
BEYOND_FILE = "a file may have {most} here"
BEYOND_DISK = "there is no more room where a run may write"
BEYOND_OPEN = "a rank may have {most} files and sockets open at once"
BEYOND_PROCESSES = "a rank may have {most} processes and threads at once"
WITH_LIMIT = "{message} ({limit})"
KILLED = (
    "SIGKILL comes from outside the program: where memory runs out, the system ends a rank that "
    "way."
)

# what doctor says
MEMORY_LIMITED = "a rank of a judged answer takes at most {most} of memory"
MEMORY_WITH_GPU = "memory is not limited: CUDA maps more than there is"
MEMORY_ELSEWHERE = "memory is not limited on this system"
FILES_LIMITED = "it writes files of at most {file}, {folder} in all"
FILES_ELSEWHERE = "what a run writes outside its own folder stays"
OPEN_LIMITED = "it has at most {most} files and sockets open"
PROCESSES_BY_KERNEL = "it has at most {most} processes and threads: the kernel counts"
PROCESSES_BY_GROUP = "it has at most {most} processes and threads: a control group counts"
PROCESSES_COUNTED = "it has at most {most} processes: counted ten times a second"
ENDED = "its folder and every process it started are gone when it ends, daemons too"
