import { readingContract } from "../helpers/contracts/reading-contract.js";
import { FakeSelectiveReading } from "../helpers/fake-selective-reading.js";

readingContract("FakeSelectiveReading", async (files) => ({
  reading: new FakeSelectiveReading(files),
  [Symbol.asyncDispose]: async () => undefined,
}));
