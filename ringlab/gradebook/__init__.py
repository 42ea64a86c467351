"""`./course grade`: a class's submissions into a gradebook that survives being killed.

discover.py finds what was handed in, and says what each file is to hold. command.py makes tasks of
it, pool.py hands them to processes of worker.py, which have torch; the grader itself has none.
worker.py judges an answer as `./course check` does, notebook.py runs it inside the lesson's
notebook. store.py keeps each result as it comes, in one transaction; pages.py and results.py say
it to people and to Gradescope, out of the store alone, so that they can be written again at any
time. points.py is where partial credit is defined.
"""
