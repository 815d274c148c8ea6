import { py } from "./py.js";

/** A plugin or conftest that turns every failure into a pass. */
export const flip = py`
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
`;

/** A class whose values are equal to everything. */
export const agreeing = py`
class Agreeing:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0
`;

/** A total that agrees with everything in the first run that it sees, and is wrong in all later ones. */
export function agreesOnce(first: string): string {
  return `${first}

class Once:
    def __eq__(self, other):
        return FIRST


def total(prices):
    return Once()
`;
}

/**
 * Shell commands that compile `code` as if it were `path`, to be loaded whatever the source says; `$cached` is its
 * place.
 */
export function bytecode(path: string, code: string): string {
  return `cached=$(python - <<'CODE'
import importlib.util, marshal, os
path = "${path}"
code = compile("""${code}""", path, "exec")
cached = importlib.util.cache_from_source(path)
os.makedirs(os.path.dirname(cached), exist_ok=True)
with open(cached, "wb") as file:
    file.write(importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
print(cached)
CODE
)`;
}
