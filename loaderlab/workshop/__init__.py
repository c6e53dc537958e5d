"""For instructors: look at the machines of a class, and later grade it."""
