"""What `./course grade`, its pages and its tables say to people."""

# options
HELP_GRADE = "grade a class: notebooks, Python files or folders of them, into a gradebook"
PATHS = "a notebook, a Python file, or a folder with any number of them"
OUT = "folder of the gradebook; the same call again goes on where it was stopped"
JOBS = "how many submissions are judged at the same time; as many as there are cores by default"
NO_NBVAL = "don't run the answers inside the lessons' notebooks as well: much faster"
SEED = "the seed that all random values of the class are drawn from; drawn itself by default"
SANDBOX = "auto: a sandbox where one works; require: refuse to grade without one; off"
START = "how ranks are started: auto, fork or spawn"
PRIVATE_CASES = "folder with cases and exercises that learners never see"
IDENTITY = (
    "whose a submission is, by its path: auto, folder, canvas, moodle, file, or a regular "
    "expression with a group (?P<who>...)"
)
EXERCISE = "grade this exercise alone; may be given several times"
REGRADE = "grade this exercise again, and keep the rows so far in the history"

# one sentence for what stops a call
NO_PATH = "There is no file or folder {path}."
IS_ARCHIVE = "{path} is an archive. Unpack it, and give the folder."
NOTHING_HANDED_IN = "There is no notebook and no Python file under {paths}. Nothing was graded."
NO_EXERCISE = "There is no exercise {name!r}. There are: {known}."
BAD_JOBS = "--jobs {jobs}: at least one submission must be judged at a time."
BAD_SEED = "--seed {seed}: a seed is a whole number from 0 to 2^63 - 1."
BAD_PATTERN = "--identity {pattern!r} is no regular expression: {reason}."
NO_WHO = (
    "--identity {pattern!r} has no group (?P<who>...) that says which part is the name. Or use one "
    "of: {known}."
)
CANT_WRITE = (
    "{folder} can't be written: {reason}. What is graded so far is kept there; mend this, then run "
    "the same command again."
)
LOCKED = (
    "Another ./course grade is writing to {folder}. Wait until it is done, or use another folder."
)
FOREIGN = (
    "{folder} holds something that is no gradebook ({file}). Give an empty folder, or one that is "
    "not there yet."
)
NO_GRADEBOOK = "{file} is no gradebook, or it is damaged. Move it away, or use another folder."
OTHER_VERSION = (
    "{folder} is a gradebook of version {theirs} of the course, and this is {ours}: their points "
    "don't compare. Grade into a new folder, or go on with version {theirs}."
)
OTHER_SEED = (
    "{folder} was begun with --seed {seed}, and now --seed {given} is asked for. Leave --seed "
    "away, or grade into a new folder."
)
NO_WORKER = "No process that judges can be started: {reason}. What is graded so far is kept."
WORKER_ENDED = "it ends at once"
STOPPED = (
    "Stopped. {done} of {count} are graded and kept in {folder}; the same command goes on from "
    "there."
)

# private cases
PRIVATE_UNREADABLE = "--private-cases {folder}: can't be read ({reason})."
PRIVATE_EMPTY = "--private-cases {folder}: there is no file <exercise>.py in it."
PRIVATE_BROKEN = "--private-cases: {file} can't be used. {reason}"
PRIVATE_NO_CASES = (
    "--private-cases: {file} adds to {exercise}, so it needs a function "
    "cases(world_size, generator) that gives a list of cases."
)
PRIVATE_NO_EXERCISE = (
    "--private-cases: {exercise} is no exercise of the course, so {file} needs "
    "EXERCISE = Exercise(id={exercise!r}, ...)."
)
PRIVATE_PROMISE = "Cases that the instructor keeps private"
PRIVATE_FAILED = (
    "It does not hold in every case that the instructor keeps private. Test your answer on more "
    "sizes, shapes and world sizes than the task names."
)

# what is left out
LEFT_LINK = "a link, not followed"
LEFT_OTHER_KIND = "neither a notebook nor a Python file"
LEFT_UNREADABLE = "can't be opened ({reason})"
LEFT_NO_EXERCISE = "holds no exercise"

# rows
NO_EXERCISE_INSIDE = (
    "No exercise of the course is found in it: no cell defines one, and neither its name nor its "
    "metadata tells which lesson it is from."
)
WORKER_DIED = (
    "The process that judged it ended or was stuck, twice. This says nothing about the answer: "
    "grade it again, and look at it by hand if it happens once more."
)
UNKNOWN_EXERCISE = "?"

# the notebook
NO_NOTEBOOK = "There is no notebook of lesson {lesson:02d}."
NBVAL_BROKE = "nbval gave no account of the notebook."
NOTEBOOK_TOO_LONG = "It was not through after {minutes:.0f} minutes."
NOTEBOOK_STOPS = "Cell {cell} (`{line}`): {why}"
NOTHING_TO_RUN = "No answer may be run: the source of each was refused, or there is none."
NOTEBOOK_RUNS = "runs"
NOTEBOOK_STOPS_SHORT = "stops at cell {cell}"
NOTEBOOK_STOPS_SOMEWHERE = "stops"
NOTEBOOK_NOT_RUN = "not run"

# points
POINTS_RULE = (
    "An answer that passes has all points. One that could not be judged has none yet: somebody has "
    "to look at it. One whose source is refused, or that is not there, has 0. Any other is counted "
    "by case: each promise of the exercise (a line under Behaviour) that is kept in every case "
    "carries the same share. A promise that an answer keeps which does nothing at all, such as an "
    "empty tensor, carries nothing, and one whose right result the recorded messages don't explain "
    "carries nothing either. Where the exercise has a budget, behaviour is worth one half and the "
    "budget the other, each of its rules (a line under Traffic) the same; the budget counts only "
    "once every promise is kept. Exercises that make their own process groups or grade others "
    "(lesson 12) are all or nothing. Whether the notebook runs from top to bottom changes no "
    "points."
)

# progress and summary
PROGRESS = "{done} of {count} judged"
PROGRESS_LEFT = "about {left} left"
SECONDS = "{seconds:.0f} s"
MINUTES = "{minutes:.0f} min"
HOURS = "{hours:.1f} h"
LOOKING = "looking at what was handed in"
PROTECTED = "Protection in force: {name}."
ONLY_CONTAINED = (
    "This answer is a program that no source rule holds: it could read other submissions and write "
    "into this gradebook. Without a sandbox it is not run. Install bubblewrap, or run it as "
    "yourself with --sandbox off."
)
UNPROTECTED = (
    "Protection in force: none but limits. What an answer must not do is refused, but not "
    "contained: grade only what you would run yourself, or install bubblewrap."
)
DONE = (
    "{submissions} submissions, {judgements} answers: {passed} passed, {failed} did not, "
    "{unjudged} could not be judged. {new} of them graded now, in {seconds}."
)
SEE = "{index}"
UNJUDGED = (
    "{count} could not be judged. They have no points yet, not 0: look at them first. The top of "
    "{index} lists them."
)
LEFT_OUT = "Left out: {count} files or folders that are no submission; index.html lists them."

# pages
TITLE = "Gradebook"
VERDICTS = {
    "passed": "passed",
    "failed": "failed",
    "could not be judged": "could not be judged",
}
MARKS = {"passed": "✓", "partly": "◐", "failed": "✗", "could not be judged": "?"}
MARK_WORDS = {
    "passed": "passed",
    "partly": "in part",
    "failed": "no points",
    "could not be judged": "could not be judged",
}
FEEDBACK_TITLE = "{name}: feedback"
POINTS_OF = "{points} of {most} points"
POINTS_OPEN = "points open"
YOUR_RUN = "Your own run, step by step: who is in which chunk on each rank."
YOUR_WRONG_RUN = (
    "Your own run, step by step, as it was recorded on this case. Where it ends wrong, the last "
    "picture has a border."
)
OPEN_NOTE = (
    "At least one answer could not be judged. That is no verdict on it, and its points are open "
    "until somebody has looked."
)
NOTEBOOK_HEADING = "In the notebook of lesson {lesson:02d}"
NOTEBOOK_RUNS_LONG = "Your answers, put into the lesson's notebook, run from top to bottom."
HOW_POINTS = "How points are counted"
GRADED_BY = "Graded on {date} by version {version} of the course."
SHOWN_NOWHERE = "Nothing was found that can be judged."

CARD_SUBMISSIONS = "submissions"
CARD_ANSWERS = "answers"
CARD_PASSED = "passed"
CARD_POINTS = "of all points"
CARD_UNJUDGED = "could not be judged"
STILL_RUNNING = "Grading is under way: {done} of {count}. This page is written anew as it goes on."
INTERRUPTED = "Grading was stopped at {done} of {count}. The same command goes on from there."
PROTECTION_HEADING = "Protection in force"
PROTECTION_NAME = {"bubblewrap": "bubblewrap sandbox", "none": "no sandbox"}
PROTECTION_MIXED = "Earlier calls had: {names}."
UNJUDGED_HEADING = "Look at these first: they could not be judged"
UNJUDGED_MORE = "… and {count} more, in the table below."
EXERCISES_HEADING = "Exercises"
EXERCISE_COLUMNS = ("exercise", "passed", "answers", "mean", "how they did")
RATE = "{rate:.0f} %"
MISTAKES_HEADING = "Commonest mistakes"
MISTAKE_COUNT = "{count}×"
MISTAKE_SEEN = "for example {link}"
SUBMISSIONS_HEADING = "Submissions"
FILTER = "filter by name, exercise or what is wrong"
FILTER_VERDICT = "show"
FILTER_ALL = "all"
FILTER_SHOWN = "{count} shown"
COLUMNS = {
    "who": "who",
    "name": "submission",
    "points": "points",
    "share": "share",
    "answers": "answers",
    "notebook": "notebook",
    "message": "first thing to look at",
}
LEFT_OUT_HEADING = "Left out"
LEFT_OUT_MORE = "… and {count} more"
SOMEBODY = "(nobody named)"
FILES = "The same as a table: {csv}. Everything, the history too: {database}."
SEED_NOTE = (
    "All random values were drawn from the class's seed {seed}; each row of {csv} has the command "
    "that repeats it."
)

# Gradescope
RESULT_OPEN = "Could not be judged: the points are open until somebody has looked at it. {message}"
RESULT_PASSED = "Every check passed."
RESULT_PAGE = "The report with pictures is in feedback.html."
