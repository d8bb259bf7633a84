/** Removes the developer's own settings of calctl and Node from the environment of the tests. */
const FOREIGN =
  /^(CALCTL_(?!(?:REQUIRE_SYSTEM|PREFIX|SEED|WINDOWS_NODE)$)|XDG_|npm_|NODE_|INIT_CWD$|CI$|NO_COLOR$|FORCE_COLOR$|EDITOR$|VISUAL$|BROWSER$|(ALL|HTTPS?|NO)_PROXY$)/i;

for (const name of Object.keys(process.env)) {
  if (FOREIGN.test(name)) delete process.env[name];
}
