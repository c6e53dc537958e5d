"""Grade a class: find what was handed in, probe and judge every answer apart, and report."""
