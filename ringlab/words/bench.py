"""What the measurements say to people."""

SIZE = "size"
TIME = "{median:.3g} ms ({low:.3g} to {high:.3g})"
MEASURED = (
    "{world_size} ranks, {backend}, median of {count} and the middle half, measured here and now"
)

BENCH = "Measure the course on this machine: medians, the middle half, the number of samples."
JSON_FILE = "write the figures to FILE as JSON too"
QUICK = "fewer repetitions, and nothing that starts ranks with spawn"
PROGRESS = "{number} of {count} ..."
SPREAD = "{low} to {high}"
IMPORT = "import ringlab"
PLAYER_STEP = "one step of the player, {n} ranks, in the kernel"
RUN = "run: one all_reduce on 4 ranks, the whole call, warm"
SPAWN = "mp.spawn: the same"
SPAWN_RATIO = "mp.spawn over run"
CHECK = "check of a right ring_all_reduce, every case, warm"
CHECK_PROCESSOR = "processor time of one such check"
CHECK_SPAWN = 'the same check with start="spawn"'
CHECK_RATIO = "spawn over fork"
PLAIN = "ring of 4 MiB on 4 ranks, not recorded"
RECORDED = "the same, recorded"
RECORDING_RATIO = "recorded over not recorded"
RING = "reference ring_all_reduce, {mib} MiB, 4 ranks"
GLOO = "gloo's own all_reduce, {mib} MiB, 4 ranks"
RING_RATIO = "ring over gloo, {mib} MiB"
REFERENCE_FAILED = "the reference answer does not pass its own check"
