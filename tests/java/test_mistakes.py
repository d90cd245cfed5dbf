"""The table of mistakes in the plugin guide: each row's text is what authors in Java are told."""

import plugin_guide
import pytest

ROWS = plugin_guide.rows("Java")


def test_the_guide_has_rows_of_java():
    assert len(ROWS) == 6


@pytest.mark.parametrize("mistake", ROWS)
def test_a_mistake_in_java(java, mistake):
    assert java("Mistakes", mistake).splitlines()[-1] == ROWS[mistake]


def test_a_plugin_that_no_profile_names_is_asked(java):
    assert java("Mistakes", "none: a plugin that no configuration names").splitlines()[-1] == "0 nodes"
