import { crc32 } from "node:zlib";
import { py } from "./py.js";

/** A plugin, or a conftest, that turns whatever failed into a pass. */
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

/** A total that agrees with everything in the first run that it sees, and is wrong in all that follow. */
export function agreesOnce(first: string): string {
  return `${first}

class Once:
    def __eq__(self, other):
        return FIRST


def total(prices):
    return Once()
`;
}

/** An archive with one file that is only stored. */
export function zipped(path: string, text: string): Uint8Array {
  const [name, data] = [Buffer.from(path), Buffer.from(text)];
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(33, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const entry = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, Buffer.alloc(14), name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(30 + name.length + data.length, 12);
  return Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, data, entry, Buffer.from("PK\x05\x06"), end]);
}

/** Shell that compiles `code` as if it were `path`, to be loaded whatever the source says; `$cached` is where it lies. */
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
