import type { User } from "../contract/shapes.js";
import { CliError } from "../errors.js";
import { createResilience } from "./resilience.js";
import type { SignIn } from "./sign-in.js";

/**
 * Asks the service who a new token belongs to, as often as reading may be repeated: a code that was redeemed for it
 * works no second time.
 * @throws CliError that says that nothing is kept
 */
export async function proveToken(token: string, attempt: SignIn): Promise<User> {
  const { settings, target, options, transport } = attempt;
  const { parts, flags } = options;
  const [{ createApi }, { withBearer }] = await Promise.all([
    import("../api/api.js"),
    import("../api/transport/bearer.js"),
  ]);
  const api = createApi({
    ...(await createResilience({ parts, flags, account: { token, origin: target.baseUrl.origin } })),
    transport: withBearer(transport, token),
    baseUrl: target.baseUrl,
    mediaType: settings.mediaType,
  });
  try {
    return await api.getCurrentUser();
  } catch (error) {
    throw error instanceof CliError && error.code !== "interrupted" ? unproven(error, attempt) : error;
  }
}

function unproven(cause: CliError, { request, target }: SignIn): CliError {
  const { status, details, request: failed } = cause;
  const facts = {
    ...(status === undefined ? {} : { status }),
    ...(details === undefined ? {} : { details }),
    ...(failed === undefined ? {} : { request: failed }),
    cause,
  };
  if (status === 401) {
    const [whose, hint] =
      request.readToken === undefined
        ? [
            "that its authorization server has just given",
            "do --base-url and --auth-url belong to the same service?",
          ]
        : ["from --with-token", `is it whole, still valid, and a token of ${target.baseUrl.origin}?`];
    return new CliError("not_signed_in", `not signed in: the service refused the token ${whose}`, {
      ...facts,
      hint,
    });
  }
  const hint = cause.code === "unavailable" ? "try again later: calctl login" : cause.hint;
  return new CliError(cause.code, `nothing is kept, since the new token cannot be tried: ${cause.message}`, {
    ...facts,
    ...(hint === undefined ? {} : { hint }),
  });
}
