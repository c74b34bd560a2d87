"""Votes of a class by phone: the teacher's page, the voting pages and the follower pages."""
