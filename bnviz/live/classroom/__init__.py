"""A class is asked a question: the teacher's page, the phones that vote, the phones that follow."""
