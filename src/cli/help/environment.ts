import type { Variable } from "../../config/environment.js";
import { type HelpPage, type HelpTerm, termsSection } from "./page.js";

/** What every environment variable does, for `calctl help environment`, docs/scripting.md and the manual page. */

const OWN: Readonly<Record<Variable, string>> = {
  CALCTL_PROFILE: "the profile: which service and account",
  CALCTL_CALENDAR: "the calendar where no `--calendar` is given: id, name or unique prefix of a name",
  CALCTL_OUTPUT: "the format of output, for commands that have it",
  CALCTL_TIMEZONE: "the zone in which times are read and shown",
  CALCTL_NO_INPUT: "never prompt",
  CALCTL_DEBUG: "show requests and responses on stderr, secrets masked",
  CALCTL_TIMEOUT: "seconds that one HTTP request may take",
  CALCTL_RETRIES: "how often a request that is safe to repeat is repeated",
  CALCTL_MAX_WAIT: "longest total wait for a rate limit in seconds",
  CALCTL_TOKEN: "the access token",
  CALCTL_TOKEN_FILE: "a file that has the access token",
  CALCTL_BASE_URL: "the URL of the service; it needs no profile",
  CALCTL_AUTH_URL: "for `login`: the URL of the authorization server",
  CALCTL_CLIENT_ID: "for `login`: the id of your OAuth application",
  CALCTL_CLIENT_SECRET: "for `login`: the secret of your OAuth application",
  CALCTL_WEBHOOK_URL: "the URL of a webhook, of telegram the bot's token; it needs `--as`, and no `--to`",
  CALCTL_WEBHOOK_URL_FILE: "a file that has it",
  CALCTL_SERVICE_DB: "the database of `service` commands without `--db`: `sqlite:PATH` or `postgres://…`",
  CALCTL_CONFIG_DIR: "the folder of the configuration, instead of `calctl` in `XDG_CONFIG_HOME`",
  CALCTL_DATA_DIR:
    "the folder of the calendars of the profile `local`, instead of `calctl` in `XDG_DATA_HOME`",
  CALCTL_STATE_DIR: "the folder of what is remembered between runs, instead of `calctl` in `XDG_STATE_HOME`",
  CALCTL_CACHE_DIR: "the folder of what can be deleted at any time, instead of `calctl` in `XDG_CACHE_HOME`",
};

const OTHERS: Readonly<Record<string, string>> = {
  CI: "never prompt",
  CREDENTIALS_DIRECTORY:
    "the folder of systemd's credentials; the access token is in its file `calctl-token`, the URL of a webhook in `calctl-webhook-url`",
  FORCE_COLOR: "use colors in pipes, too",
  HTTPS_PROXY: "the proxy for the service; also `https_proxy`, `ALL_PROXY` and `all_proxy`",
  NO_COLOR: "use no colors",
  NO_PROXY: "hosts without a proxy; also `no_proxy`",
  NODE_EXTRA_CA_CERTS: "a file of further certificate authorities",
  PAGER:
    "shows output that is longer than the screen (`less`); empty or `cat` for none; if it fails, the output is printed",
  PGPASSFILE: "a file that has passwords of PostgreSQL servers, instead of `~/.pgpass`",
  PGPASSWORD: "the password of the PostgreSQL server, if its URL has none",
  TZ: "the zone where neither `--timezone` nor a profile says one",
};

/** The program's own variables, then those of others that it reads. */
export function environmentRows() {
  return Object.entries({ ...OWN, ...OTHERS }).map(([name, meaning]) => ({ name, meaning }));
}

/** The variables as terms. */
export function environmentTerms(): readonly HelpTerm[] {
  return environmentRows().map(({ name, meaning }) => [name, meaning.replaceAll("`", "")]);
}

/** Where files are on Linux. */
export function filesSection(): HelpPage {
  return termsSection("Files", [
    ["~/.config/calctl/config.json", "profiles and their settings, targets without their URLs"],
    ["~/.local/share/calctl/local.db", "the calendars of the profile local"],
    ["~/.local/share/calctl/tokens", "tokens and webhook URLs of --insecure-storage"],
    ["~/.local/state/calctl", "what is remembered between runs: writes, imports, what was sent and seen"],
    ["~/.cache/calctl", "ids and names lately seen, rate limits, and compiled code"],
  ]);
}
