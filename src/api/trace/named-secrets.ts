/** Masks secrets by their names: headers, JSON members, parameters of forms and URLs. The redactor masks by value. */

const MASK = "***";

const SECRET_NAMES =
  /^(?:code|state|device_code|user_code|pwd|pass|sid|session|session_id|signature|id_token_hint|login_hint)$/;

/** Ends of names such as `access_token`, `clientSecret`, `x-api-key`, `set-cookie`; not `token_type`. */
const SECRET_ENDINGS =
  /(?:token|secret|password|passwd|passphrase|assertion|api[-_]?key|verifier|credentials?|cookie|authorization)$/;

/** Whether a header, member or parameter with this name holds a secret. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return SECRET_NAMES.test(lower) || SECRET_ENDINGS.test(lower);
}

/** The value of a header without secrets, including those of URLs in it, as in `Location`. */
export function maskHeader(name: string, value: string): string {
  return isSecretName(name) ? MASK : maskUrls(value);
}

/** A body without secrets: JSON, a form or a page, complete or only its beginning. */
export function maskBody(text: string): string {
  return maskUrls(maskJson(text));
}

/** `"name": value`. Objects and lists are not matched as values, only the members in them. */
const MEMBER = /"([\w.-]{1,64})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s"{}[\],]+)/gs;

/** `name=value` at the beginning or after a separator, also in a page. */
const PARAMETER = /(^|[?&#;])([\w%.+-]{1,64})=([^&#;\s"'<>]+)/g;

/** `//name:password@` and `//token@`, with slashes escaped, as in some JSON, or not. */
const USER_INFO = /(:(?:\\?\/){2})[^/?#\s@"'<>\\]+@/g;

function maskJson(text: string): string {
  return text.replace(MEMBER, (member: string, name: string, colon: string, value: string) =>
    isSecretName(name) && value !== "null" ? `"${name}"${colon}"${MASK}"` : member,
  );
}

/** Masks the secrets of URLs and forms in a text. @see RFC 3986 §3.2.1, §3.4 */
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
