"""The languages, each in a room of its own; `base.py` says what every one of them provides."""
