import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { probeEndpoint } from "../../runner/model/probe.js";
import { endpointsOf } from "../helpers/scripted-model.js";

async function probed(status: number, body: string) {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    return await probeEndpoint(endpointsOf(baseUrl).worker, new AbortController().signal);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it("a gateway that refuses the key with a 400 is not taken for one without a list of models", async () => {
  const refused = '{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}';
  expect(await probed(400, refused)).toEqual({ kind: "denied", status: 400 });
  expect(await probed(400, '{"error":{"message":"no such path"}}')).toEqual({ kind: "no_list", status: 400 });
  expect(await probed(200, '{"data":[]}')).toEqual({ kind: "answers" });
});
