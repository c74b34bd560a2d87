"""Maps as the server holds them: trained by its workers or a cluster, polled by browsers."""
