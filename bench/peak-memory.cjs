// Preloaded into a measured process: hands its peak memory in KiB to file descriptor 3 when it ends.
const { writeSync } = require("node:fs");

process.on("exit", () => {
  writeSync(3, String(process.resourceUsage().maxRSS));
});
