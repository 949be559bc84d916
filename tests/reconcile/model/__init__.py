"""A model checker for protocols that find drift: every interleaving of a few writers and tools on one tiny table.

`world` holds the table and its writers, `tools` the protocols, `checker` the exploration and the judge, `catalogue` the
worlds and protocols by name. `python -m tests.reconcile.model` prints which protocol is sound in which world.
"""
