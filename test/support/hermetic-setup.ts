/** What the person who runs the tests has set for programs like this one must not reach them, nor the Node of their processes. */
const FOREIGN =
  /^(CALCTL_(?!REQUIRE_SYSTEM$)|XDG_|npm_|NODE_|INIT_CWD$|CI$|NO_COLOR$|FORCE_COLOR$|EDITOR$|VISUAL$|BROWSER$|(ALL|HTTPS?|NO)_PROXY$)/i;

for (const name of Object.keys(process.env)) {
  if (FOREIGN.test(name)) delete process.env[name];
}
