"""The pages of the course: a lesson's beats beside a live view of its run."""
