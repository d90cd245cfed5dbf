"""Completion scripts for shells, one module for each, made from the grammar of the command line."""
