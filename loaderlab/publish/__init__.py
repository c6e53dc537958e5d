"""The tools of authors: from lesson.md and its translations to the notebooks that are committed, and to the website.

`press.py` builds: it writes notebooks and pages from the sources. `limits.py` and `review.py` check: what a lesson may
hold and must have, and whether what is committed is what the sources give. `checkout.py` knows where everything lies,
`notebook.py` has the cells, `bootstrap_cell.py` the first of them, which installs the package in Colab, `edition.py` a
lesson in one language. `recording.py` is about recordings, `repository.py` about the address;
`regions.py` is what is generated in pages, `readme.py` the first of them, `signposts.py` what lesson 0 says of the
others. Slides: `slides.py` says what is one, `fitting.py` and `templates/` lay them out. The website: `website.py` makes
pages of notebooks, `start_page.py` the first one, with the bet of `first_bet.py`; `page_head.py` has style and what a
shared link shows; `still.py` keeps the room of what a script brings; `activity.py` says what a reader does on a page,
`stored_results.py` what a notebook measured; `archive.py` packs the Python that a page takes along, `policy.py` says what
a page may load; docs/site/ says how pages look, and has their scripts.
"""
