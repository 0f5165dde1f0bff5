"""The page: a suite as one HTML file that a person opens in a browser."""
