"""The zoo: small loaders ("animals"), each with one known fault, and healthy ones: what `diagnose` has to tell apart."""
