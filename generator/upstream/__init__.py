"""What documents say today: the only room that reaches the network. Nothing that it fetches is run.

Whoever asks is ``servebook drift``; checks and pages never do.
"""
