"""What a run is said to do, in sentences: texts by language, phrases, headlines, stories."""
