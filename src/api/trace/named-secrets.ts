/**
 * Secrets found by what they are called: headers, members of JSON, parameters of forms and URLs. What is called
 * otherwise is found by its value, elsewhere.
 */

const MASK = "***";

/** Names that say nothing but that a secret follows. */
const WHOLE_NAMES = new Set([
  ...[
    "code",
    "state",
    "device_code",
    "user_code",
    "pwd",
    "pass",
    "sid",
    "session",
    "session_id",
    "signature",
  ],
  ...["id_token_hint", "login_hint"],
]);

/** `access_token`, `clientSecret`, `x-api-key`, `set-cookie`; not `token_type`. */
const NAME_ENDS =
  /(?:token|secret|password|passwd|passphrase|assertion|api[-_]?key|verifier|credentials?|cookie|authorization)$/;

/** Whether a header, member or parameter of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return WHOLE_NAMES.has(lower) || NAME_ENDS.test(lower);
}

/** The value of a header for people; URLs in it, as in `Location`, lose their secrets. */
export function maskHeader(name: string, value: string): string {
  return isSecretName(name) ? MASK : maskUrls(value);
}

/** A body for people, be it JSON, a form or a page: whole or only its beginning. */
export function maskBody(text: string): string {
  return maskUrls(maskJson(text));
}

/** `"name": value`. Values that are objects or lists are looked at by the names in them. */
const MEMBER = /"([\w.-]{1,64})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s"{}[\],]+)/gs;

/** `name=value` at the beginning or behind what separates parameters, also within a page. */
const PARAMETER = /(^|[?&#;])([\w%.+-]{1,64})=([^&#;\s"'<>]+)/g;

/** `//name:password@` and `//token@`, slashes escaped as some JSON has them or not. */
const USER_INFO = /(:(?:\\?\/){2})[^/?#\s@"'<>\\]+@/g;

function maskJson(text: string): string {
  return text.replace(MEMBER, (member: string, name: string, colon: string, value: string) =>
    isSecretName(name) && value !== "null" ? `"${name}"${colon}"${MASK}"` : member,
  );
}

/** Text with the secrets of the URLs and forms in it masked. @see RFC 3986 §3.2.1, §3.4 */
export function maskUrls(text: string): string {
  return text
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(PARAMETER, (parameter: string, before: string, name: string) =>
      isSecretName(decodeName(name)) ? `${before}${name}=${MASK}` : parameter,
    );
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
