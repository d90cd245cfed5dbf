"""The verb `evaluate` of `libsched`: judges the cases of tests/oracle, for comparing with upstream.

It belongs to a checkout, where packaging/install_python.sh installs it; libsched's own package does
not have it. `evaluate` reads cases (`cases`, `case_text`) and judges each (`judging`); `trace` and what
begins with it drive the framework around scripted plugins.
"""
