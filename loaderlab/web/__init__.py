"""The course in a browser, where there is Python but no torch: what a page of the website asks, and what answers it."""
