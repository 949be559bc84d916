"""DynamoDB's contract in one process and in virtual time: what the service promises, and all the harm it allows.

`timeline` is the clock and the scheduler, `tables` the items with their holds, copies and streams, `reading` the port
that the engine reads through, `line` the ways in which a request or its reply is lost. On them stand `writers`, one for
each way of keeping a tally, `truth`, which knows the drift at every instant, and `worlds`, random ones from a seed.

Everything random comes from one `random.Random`, so that a seed is a schedule.
"""
