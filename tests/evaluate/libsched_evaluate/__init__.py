"""The verb `evaluate` of `libsched`: judges the cases of tests/oracle, for comparing with upstream.

packaging/install_python.sh installs it in a checkout; the package libsched does not contain it.
`evaluate` reads cases (`cases`, `case_text`) and judges them (`judging`). The modules `trace*`
drive the framework around scripted plugins.
"""
