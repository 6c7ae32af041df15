"""The count of lines that the browser tests run: a hand-made script with a part that never runs."""

from __future__ import annotations

from script_coverage import ScriptLines, lines_of, run_lines

SCRIPT = """// 🦢 A comment is no code.
function used(flag) {
  if (flag) {
    return "🦢" + never();
  }
  return 1;
}

function never() { return 2; }
used(false);
"""


def test_lines_of_code_are_counted():
    assert sorted(lines_of(SCRIPT)) == [2, 3, 4, 5, 6, 7, 9, 10]


def test_a_branch_and_a_function_that_do_not_run_are_told(open_page):
    page = open_page()
    session = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True})
    page.evaluate(SCRIPT + "//# sourceURL=made.js")
    counts = session.send("Profiler.takePreciseCoverage")["result"]
    made = next(script for script in counts if script["url"] == "made.js")
    assert run_lines(made["functions"], SCRIPT) == {2, 3, 6, 7, 10}


def test_a_script_with_too_few_lines_is_named(pytestconfig):
    lines = ScriptLines(pytestconfig)
    lines.scripts = {"/static/js/dom.js": lines.scripts["/static/js/dom.js"]}
    assert lines.find_poor()[0].startswith("/static/js/dom.js: 0% of ")
    lines.run["/static/js/dom.js"] = set(range(1000))
    lines.poor.clear()
    assert lines.find_poor() == []
