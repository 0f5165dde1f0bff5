"""`python -m everypath` is the command line."""

from everypath.cli import main

main(prog_name="everypath")
