"""What everything says, and in which language: the catalogs lie in ``locale``."""
