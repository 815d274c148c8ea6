"""The resident: process 1 of every container. It serves the brain's calls, which come in frames over its standard input.

Everything else in the container is hostile and has the resident's own uid. Three things keep the resident out of its reach:
it is process 1 (no signal from inside can end or stop it, and kill(-1) spares it), it is undumpable before it reads its
first byte (so nobody opens its descriptors or memory), and its pipes are close-on-exec. There is one thread and one loop:
operations are coroutines that sleep on descriptors, so pings, cancels and file work are served while a command runs.
"""
