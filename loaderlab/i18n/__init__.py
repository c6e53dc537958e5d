"""The words of the whole course, in each of its languages: the catalogs lie in ``locale``."""
