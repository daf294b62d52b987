"""The command line: words to calls. One small file a command, and no arithmetic in any of them.

app.py lists the commands and loads nothing heavy, so that `twosdr --help` answers at once; a command imports what it needs when
it runs. door.py is what the shell enters by: it turns errors into one to three lines and an exit code.
"""
# SPDX-License-Identifier: MIT
