import { readFacts } from "./facts.js";
import { showIndex } from "./index-page.js";
import { fieldsOf, parsed } from "./read.js";
import { SessionPage } from "./session-page.js";
import { applyTheme } from "./theme.js";

applyTheme();
const data = fieldsOf(parsed(document.getElementById("facts")?.textContent ?? ""));
document.getElementById("opening")?.remove();
if ("sessions" in data) showIndex(data);
else new SessionPage(readFacts(data)).open();
