"""The words of the whole course, in each of its languages: the catalogs lie in ``locale``.

`language.py` speaks one, `languages.py` has what is particular to each, `typography.py` applies its rules;
`errors.py` has the one error that is said to a reader.
"""
