/** Error statuses of the contract, 410 of changes and keys, 421 of the sign-in pages, 422 of keys and those of malformed HTTP, with their titles. @see contract section 7 */
export const STATUS_TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  410: "Gone",
  413: "Content Too Large",
  417: "Expectation Failed",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
} as const;

export type ProblemStatus = keyof typeof STATUS_TITLES;

/** Field name -> problems with it. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** The problem body of a status. */
export function problem(status: ProblemStatus, errors?: string | FieldErrors): object {
  return {
    type: "about:blank",
    status,
    title: STATUS_TITLES[status],
    ...(errors !== undefined && { errors }),
  };
}
