"""What `./course release` says, and the pytest plugin that looks for checks taken out."""

HELP_RELEASE = "write the course without its answers, for learners or for a grading service"
OUT = "a new folder, outside the course"
AUDIENCE = (
    "who gets it: learners (the default), nbgrader (its source folder, answers included), "
    "gradescope (the autograder's zip), github (the template repository of GitHub Classroom)"
)
LESSON = "only this lesson, for gradescope and github; may be repeated"
PRIVATE_CASES = "your private cases: they go into gradescope's zip and nowhere else"

WRITTEN = "{folder}: {count} files, {size}\n{archive}: the same, to hand out"
OUT_EXISTS = "{out} is there already and is not empty: name a new folder with --out."
OUT_IS_FILE = "{out} is a file: name a new folder with --out."
OUT_INSIDE = (
    "{out} lies inside the course, where the next release would find it: name a folder elsewhere."
)
OUT_FAILED = "{out} can't be written: {reason}."
UNREADABLE = "{path} can't be read: {reason}."
STALE = "Nothing was released: what learners would get is not what the course builds. {first}"
FULL_COURSE_ONLY = (
    "This is the learners' edition of the course: `./course {command}` needs the full one, with "
    "lessons/ and solutions/."
)
PRIVATE_NOT_FOR = (
    "Private cases are for --for gradescope alone: the {audience} edition is what learners see."
)
PRIVATE_INSIDE = (
    "{folder} lies in a part of the course that learners get. Move your private cases out of it."
)
PRIVATE_MISSING = "{folder} is not a folder with private cases."
NO_LESSON_CHOICE = "--lesson chooses what is graded, with --for gradescope or --for github."
NO_EXERCISES = "There is no exercise in {lessons}, so there is nothing to grade."

# In a learner's notebook, as pytest sees it.
CHECK_MISSING = "The check of {exercise} is not in this notebook: bring the cell `{check}` back."
CHECK_CHANGED = (
    "The check of {exercise} is changed: a cell with `{check}` in it and nothing else is needed."
)
CHECK_MARKED = "The check of {exercise} is marked {mark}, so nbval does not count it."

# Gradescope
GRADED_HERE = "Each exercise is a test. What went wrong stands below it, with rank and line."
NOT_HANDED_IN = (
    "No answer to {exercise} was found in what you handed in. Hand in the lesson's notebook from "
    "work/, or the file {exercise}.py."
)
OUT_OF_TIME = (
    "Grading was stopped after {seconds} s. What was judged until then stands below; ask your "
    "instructor to run it again."
)
GRADING_BROKE = (
    "Could not be judged: grading itself broke, not your answer ({reason}). Tell your instructor; "
    "the points are open."
)
