"""The page about performance: `pages/performance.md` with the plots and the table of the recorded run."""

import json
import pathlib
import sys

NAME = "benchmarks"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED = ROOT / "docs" / "bench.json"


def pages():
    sys.path.insert(0, str(ROOT / "tests" / "bench"))
    import html_page
    import readme_table
    result = json.loads(RECORDED.read_text(encoding="utf-8"))
    made = {"table": readme_table.markdown(result), "bars": _figure(html_page.ratio_bars(result)),
            "plots": _figure(html_page.legend() + html_page.size_plots(result))}
    text = (HERE / "pages" / "performance.md").read_text(encoding="utf-8")
    for name, part in made.items():
        if f"@{name}@" not in text:
            raise ValueError(f"performance.md has no place @{name}@")
        text = text.replace(f"@{name}@", part)
    yield "", "performance.md", text


def _figure(markup):
    return f'<div class="bench">{markup}</div>'
