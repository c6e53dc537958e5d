"""The model of a DataLoader and its consumer, and the same setting for real.

`python tools/prediction.py` compares them.
"""
