"""Voting by phone in a class: teacher's page, voting pages, and pages that follow the teacher."""
