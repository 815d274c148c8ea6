import { skippedFolders } from "../../runner/hands/roles/ignored-names.js";
import { BareContainer } from "../bare-container.js";
import type { Line } from "../line.js";
import { pythonFiles, rareWord } from "../python-files.js";
import { interleave } from "../statistics.js";
import { openWorkshop } from "../workshop.js";

const limit = 200;

export const search: Line = {
  name: "search",
  async measure(bench) {
    await using workshop = await openWorkshop(bench, pythonFiles(2000));
    const { hands, session, worktree } = workshop;
    const { work } = hands;
    const { signal } = bench;
    await using bare = await BareContainer.start(bench, session, { role: "work", worktree });
    const { glob } = await interleave(
      { glob: () => work.glob({ pattern: "**/module_19*.py", limit }, signal) },
      bench.times(160),
    );
    const grep = await interleave(
      {
        "through the resident": () => work.grep({ pattern: rareWord, pathGlob: null, limit }, signal),
        "ripgrep alone": () => bare.time(ripgrep),
      },
      bench.times(120),
    );
    return [
      { what: "glob over 2,000 files, p50", unit: "ms", value: glob.median, bound: 10, of: { glob } },
      {
        what: "grep over 2,000 files: resident / ripgrep alone",
        unit: "ratio",
        value: grep["through the resident"].median / grep["ripgrep alone"].median,
        bound: 1.2,
        of: grep,
      },
    ];
  },
};

/** The arguments that the resident itself gives. */
const ripgrep = [
  "/usr/bin/rg",
  ...["--no-config", "--no-messages", "--hidden", "--no-ignore", "--no-follow", "--sort=path"],
  ...["--line-number", "--no-heading", "--with-filename", "--null", "--color=never"],
  ...["--max-columns=500", "--max-columns-preview", `--max-count=${limit + 1}`],
  ...skippedFolders.map((name) => `--glob=!${name}/`),
  ...["--glob=!.git", "-e", rareWord, "--", "./"],
];
