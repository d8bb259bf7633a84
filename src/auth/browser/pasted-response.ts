import {
  type AuthorizationResponse,
  type ExpectedResponse,
  parseAuthorizationResponse,
  type ResponseFault,
} from "./callback-request.js";

export interface PasteExpectation extends ExpectedResponse {
  readonly redirectUri: string;
}

interface PasteParts {
  readonly pastedLines: ((signal: AbortSignal) => AsyncIterable<string>) | null;
  readonly tell: (text: string) => void;
}

/**
 * Resolves with the first pasted redirect URL that belongs to this attempt; never settles without one, since the
 * browser may still come back. Whatever else is pasted is answered with what is wrong about it.
 */
export function watchPasted(
  { pastedLines, tell }: PasteParts,
  expected: PasteExpectation,
  signal: AbortSignal,
): Promise<AuthorizationResponse> {
  return new Promise((resolve) => {
    if (pastedLines === null) return;
    const watch = async (): Promise<void> => {
      for await (const line of pastedLines(signal)) {
        const read = readPasted(line, expected);
        if (typeof read !== "string") resolve(read);
        else if (read !== "") tell(read);
      }
    };
    // A terminal that fails leaves the browser.
    watch().catch(() => undefined);
  });
}

/** The response in a pasted line, or what is wrong with it; nothing for an empty line. */
export function readPasted(line: string, expected: PasteExpectation): AuthorizationResponse | string {
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
    : `this address cannot be used: ${parsed.problem}${ADVICE[parsed.fault] ?? ""}`;
}

/** A browser shows addresses in its own spelling: with a slash behind the host, without a usual port. */
function isSameAddress(pasted: string, redirectUri: string): boolean {
  return URL.canParse(pasted) && new URL(pasted).href === new URL(redirectUri).href;
}

const ADVICE: Readonly<Partial<Record<ResponseFault, string>>> = {
  doubled: "; copy it again",
  no_state: "; copy the whole of it",
  no_code: "; copy the whole of it",
  wrong_state: "; sign in at the address above and paste the new one",
};
