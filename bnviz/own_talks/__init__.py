"""Talks of one's own: a file that is read, checked, kept for a while, and handed on as a link.

The server fetches nothing for them: a talk comes as text, dropped on the page of talks, pasted
there, or packed into the part of a link after `#`, which browsers send to no server by themselves.
"""
