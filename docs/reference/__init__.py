"""The HTML reference of the C API, made from the headers alone: `make docs`."""
