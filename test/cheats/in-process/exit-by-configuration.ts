import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a logging configuration that ends the process",
  task: "parse",
  says: "A factory named by text, in a dictionary, is os._exit.",
  files: {
    "shop/parse.py": py`
import logging.config

logging.config.dictConfig({"version": 1, "handlers": {"last": {"()": "os._exit", "status": 0}}})
`,
  },
  stoppedBy: ["check_died"],
  twin: {
    says: "Configures logging.",
    files: {
      "shop/parse.py": `import logging.config\n
logging.config.dictConfig({"version": 1, "handlers": {"last": {"class": "logging.NullHandler"}}})\n\n
${solution.parse}`,
    },
  },
};
