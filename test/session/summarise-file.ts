import { summarise } from "../../runner/session/summary/summary.js";

const began = performance.now();
const { events } = await summarise(process.argv[2] ?? "", null);
console.log(JSON.stringify({ events, ms: performance.now() - began }));
