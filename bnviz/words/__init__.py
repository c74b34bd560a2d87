"""Texts by language, and sentences about a run: phrases, headlines, and stories."""
