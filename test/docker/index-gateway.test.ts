import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { IndexGateway } from "../../runner/egress/index/index-gateway.js";
import { noProxies } from "../../runner/egress/upstream-proxy.js";
import { Upstream } from "../egress/egress-stage.js";
import { ResidentContainer } from "../helpers/resident-container.js";

const wheel = "demo-1.0-py3-none-any.whl";
const making = `import base64, io, os, zipfile
made = io.BytesIO()
with zipfile.ZipFile(made, "w") as archive:
    archive.writestr("demo.py", "told = 'installed'\\n")
    archive.writestr("ballast.bin", os.urandom(4 << 20))
    archive.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n")
    archive.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    archive.writestr("demo-1.0.dist-info/RECORD", "demo.py,,\\nballast.bin,,\\n")
print(base64.b64encode(made.getvalue()).decode())`;
const packed = 8 * 1024 * 1024;

test("uv installs from an index that asks for a password, in a container that has neither the password nor a network", async () => {
  let gateway: IndexGateway | null = null;
  await using box = await ResidentContainer.start({ onConnection: (connection) => void gateway?.accept(connection) });
  const made = await box.bash(`python - <<'END'\n${making}\nEND`, { head: packed, tail: 0 });
  const file = Buffer.from(made.text, "base64");
  const sha256 = createHash("sha256").update(file).digest("hex");
  const authorization = `Basic ${Buffer.from("ada:s3cret-word").toString("base64")}`;
  await using index = await Upstream.http(({ url, headers }, answer) => {
    if (headers.authorization !== authorization) answer.writeHead(401).end();
    else if (url === `/files/${wheel}`) answer.end(file);
    else if (url !== "/simple/demo/") answer.writeHead(404).end();
    else
      answer
        .writeHead(200, { "content-type": "text/html" })
        .end(`<a href="/files/${wheel}#sha256=${sha256}">${wheel}</a>`);
  });
  const indexes = [{ url: `http://ada:s3cret-word@127.0.0.1:${index.port}/simple` }];
  await using answering = new IndexGateway({ indexes, proxies: noProxies, ca: null });
  gateway = answering;
  const { port } = await box.call("listen", {});
  const env = { PATH: "/opt/tilth/venv/bin:/usr/bin:/bin", HOME: "/home/tilth", UV_CACHE_DIR: "/tmp/uv" };
  const install = `uv pip install --no-config --target /tmp/site --index-url http://127.0.0.1:${port}/0/`;
  const honest = await box.bash(
    `${install} demo && PYTHONPATH=/tmp/site python -c 'import demo; print(demo.told)' && env | grep -c s3cret`,
    { env },
  );
  expect(honest.text).toMatch(/\+ demo==1\.0[\s\S]*installed\n0\n$/);
  const unknown = await box.bash(`${install} nothing-like-it`, { env });
  expect(unknown.text).toMatch(/nothing-like-it was not found/);
  const direct = await box.bash(
    `uv pip install --no-config --target /tmp/other --index-url http://ada:s3cret-word@127.0.0.1:${index.port}/simple/ demo`,
    { env: { ...env, UV_HTTP_RETRIES: "0", UV_CACHE_DIR: "/tmp/other-cache" } },
  );
  expect(direct.exit).not.toBe(0);
  expect(direct.text).toMatch(/Connection refused/);
  expect(answering.trouble()).toBeNull();
});
