"""Settings for nbgrader, beside the folder source/ that `./course release --for nbgrader` wrote."""

c = get_config()  # noqa: F821  nbgrader puts it there

c.CourseDirectory.course_id = "ringlab"
# A part that nobody wrote raises this, and the check then says so.
c.ClearSolutions.code_stub = {
    "python": '# TODO: your code here.\nraise NotImplementedError("Not written yet.")'
}
# A cell that measures, or judges a slow answer, takes more than nbgrader's 30 seconds.
c.Execute.timeout = 180
# A check that a learner deleted comes back, and gives no points for nothing.
c.OverwriteCells.add_missing_cells = True
