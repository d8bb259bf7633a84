import {
  type AuthorizationResponse,
  type ExpectedResponse,
  type InvalidReason,
  parseAuthorizationResponse,
} from "./callback-request.js";

export interface PasteExpectation extends ExpectedResponse {
  readonly redirectUri: string;
}

/**
 * Resolves with the first pasted redirect URL that belongs to this sign-in; stays pending without one, since the
 * browser may still send the response. Warns about any other line.
 */
export function readPastedResponse(
  lines: AsyncIterable<string>,
  expected: PasteExpectation,
  warn: (text: string) => void,
): Promise<AuthorizationResponse> {
  return new Promise((resolve) => {
    const readLines = async (): Promise<void> => {
      for await (const line of lines) {
        const parsed = parsePastedAddress(line, expected);
        if (typeof parsed !== "string") resolve(parsed);
        else if (parsed !== "") warn(parsed);
      }
    };
    // If the terminal cannot be read, the browser can still send the response.
    readLines().catch(() => undefined);
  });
}

/** The response in a pasted line, or what is wrong with the line; "" for an empty one. */
export function parsePastedAddress(line: string, expected: PasteExpectation): AuthorizationResponse | string {
  const text = line.trim();
  if (text === "") return "";
  const [address = "", query] = text.replace(/#.*$/s, "").split(/\?(.*)/s);
  if (query === undefined || !isSameAddress(address, expected.redirectUri)) {
    const isOther = query !== undefined && new URLSearchParams(query).has("state");
    return `${isOther ? "this address belongs to another sign-in; " : ""}paste the whole address of the last page: it begins with ${expected.redirectUri}?`;
  }
  const parsed = parseAuthorizationResponse(query, expected);
  return parsed.ok
    ? parsed.response
    : `this address cannot be used: ${parsed.problem}${ADVICE[parsed.reason] ?? ""}`;
}

/** Browsers normalize addresses: they add a slash after the host and drop a default port. */
function isSameAddress(pasted: string, redirectUri: string): boolean {
  return URL.canParse(pasted) && new URL(pasted).href === new URL(redirectUri).href;
}

const ADVICE: Readonly<Partial<Record<InvalidReason, string>>> = {
  duplicate: "; copy it again",
  no_state: "; copy the whole address",
  no_code: "; copy the whole address",
  wrong_state: "; sign in at the address above and paste the new one",
};
