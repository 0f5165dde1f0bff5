"""The command line: arguments, configuration, exit codes, and one module for each command."""
