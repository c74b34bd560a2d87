"""Pages of the course.

A lesson with a claim has five sections (called beats in the code), shown one at a time beside a
live view of its run: the question, the reader's prediction, the verdict of the run, the
explanation, and try-it experiments in which the claim may fail.
"""
