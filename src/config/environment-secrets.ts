import { parseUrl } from "../../contract/url.js";
import { type Environment, SECRET_VARIABLES } from "./environment.js";

/** The `//` distinguishes a scheme from the user of `user:password@host`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The address of a proxy; without a scheme it is http. Null when it is not a URL. */
export function parseProxyAddress(address: string): URL | null {
  const text = address.trim();
  return parseUrl(SCHEME.test(text) ? text : `http://${text}`);
}

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** The secrets in the environment: a token, a client secret, passwords of proxies and of the service's database. */
export function environmentSecrets(env: Environment): readonly string[] {
  const secrets = SECRET_VARIABLES.map((name) => env[name] ?? "");
  const passwords = [...PROXIES, "CALCTL_SERVICE_DB"].map((name) => passwordIn(env[name] ?? ""));
  return [...secrets, ...passwords, env["PGPASSWORD"] ?? ""].filter((value) => value !== "");
}

/** The password in the address of a proxy or a database; "" when there is none. */
function passwordIn(address: string): string {
  const password = parseProxyAddress(address)?.password ?? "";
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
