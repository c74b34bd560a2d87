"""The pages of the course.

A lesson with a claim is shown in five beats, one at a time, beside a live view of its run: the
question, the reader's prediction, what the run says (the verdict), why, and settings in which the
claim may break.
"""
