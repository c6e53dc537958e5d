"""The lessons, a folder each. Adding a lesson is adding a folder."""
