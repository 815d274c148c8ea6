"""A list of things to do, for the command line."""
