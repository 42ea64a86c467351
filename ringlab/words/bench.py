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

OTHER_WORLD = "the schedule is for {wanted} ranks, but {there} run it"
NOT_CONTIGUOUS = "the tensor is not contiguous; run the schedule on tensor.contiguous() and copy"
POINT = "{number} of {count}: {name}"
PEAK = "peak"
NO_FACTOR = "no bus bandwidth is defined here for {name!r}; known: {known}"
BANDWIDTH = (
    "all_reduce, {world_size} ranks, {backend}, median of {count}; peak of the same run: "
    "{peak} GB/s sent by each rank to its neighbour"
)
BANDWIDTH_COLUMNS = ("size", "time", "middle half", "algbw GB/s", "busbw GB/s", "of the peak")

EXPERIMENT = "run one experiment: {names}"
RANKS = "how many ranks to start; torchrun's own number where it started this (default 4)"
REPEATS = "samples of each point"
CHART_FILE = "draw a chart into FILE (PNG, SVG or PDF)"
WRONG_SUM = "{label} gave a wrong sum on rank {rank}, so it was not timed"
NO_POINT = "nothing was measured for {count} tensors of {nbytes} bytes"
FUSION_METHODS = ("one at a time", "fused", "async", "coalesced")
FUSION = (
    "{world_size} ranks, {backend}, median of {count}; in brackets: one at a time over this; "
    "peak of the same run: {peak} GB/s"
)
FUSION_FIRST = "tensors"
FUSION_TIME = "{ms:.3g} ms"
FUSION_CELL = "{ms:.3g} ms ({gain:.3g}×)"
FUSION_POINT = "{count} × {size}"
FUSION_UTILISATION = "fused: of peak"
GAIN_TITLE = "One at a time over fused, {world_size} ranks, {backend}"
GAIN_ALT = "A table in colours. {points}."
GAIN_POINT_ALT = "{count} tensors of {size}: {gain:.3g} times as long one at a time as fused"
TENSOR_COUNT = "number of tensors"
TENSOR_SIZE = "size of each"
ALGORITHMS = "{world_size} ranks, {backend}, median of {count}, fastest marked *"
SIZE_AXIS = "bytes of the tensor"
TIME_AXIS = "seconds"
BANDWIDTH_AXIS = "GB/s"
BUSBW = "busbw of all_reduce"
PEAK_LINE = "peak of the same run"
POINTS_AND_MODEL = "points: fastest sample, up to\nthe median; lines: the model"
MEASURED_POINTS = "medians and the middle half"
MEMORY = "most memory of all ranks together: {size} (pages they share counted in each)"
TIMES_ALT = "A chart of time over size; {note}. {table}"
BAD_SWEEP = "no point of this sweep is small enough to be measured"
LINK = (
    "one message between 2 ranks, {backend}, {count} samples; "
    "the line through the fastest: α = {alpha:.3g} µs, 1/β = {rate} GB/s"
)
LINK_COLUMNS = ("size", "median", "fastest", "α + βn", "off by")
NO_RATE = "without limit"
LINE = "α + βn"
MESSAGE = "one message: the fastest, and up to the median"
