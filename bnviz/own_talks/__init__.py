"""Talks of users: a file is read, checked, cached for a while, and passed on as a link.

The server downloads nothing. The text of a talk is dropped or pasted on a page, or it is in the
fragment of a link, which browsers do not send to a server.
"""
