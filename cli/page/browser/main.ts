import { applyTheme } from "./elements/theme.js";
import { showIndex } from "./index-page.js";
import { readFacts } from "./log/facts.js";
import { fieldsOf, parsed } from "./log/read.js";
import { SessionPage } from "./session-page.js";

applyTheme();
const data = fieldsOf(parsed(document.getElementById("facts")?.textContent ?? ""));
document.getElementById("opening")?.remove();
if ("sessions" in data) showIndex(data);
else new SessionPage(readFacts(data)).open();
