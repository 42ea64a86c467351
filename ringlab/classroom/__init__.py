"""What services of a classroom need from the course: GitHub Classroom's workflow, Gradescope's
results."""
