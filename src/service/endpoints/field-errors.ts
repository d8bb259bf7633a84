import type * as v from "valibot";

/** Field -> what is wrong with it, as it is collected. */
export type FieldErrorMap = Map<string, Set<string>>;

export function addFieldError(errors: FieldErrorMap, field: string, message: string): void {
  errors.set(field, (errors.get(field) ?? new Set()).add(message));
}

/** The collected errors as problem details hold them. */
export function listFieldErrors(errors: FieldErrorMap): Record<string, string[]> {
  return Object.fromEntries([...errors].map(([field, messages]) => [field, [...messages]]));
}

/** The wrong fields of a body `{data: {attributes, relationships}}`, by their bare names. */
export function collectFieldErrors(issues: readonly v.BaseIssue<unknown>[] = []): FieldErrorMap {
  const errors: FieldErrorMap = new Map();
  for (const issue of issues) {
    const path = issue.path ?? [];
    const list = path.findIndex(({ type, input }) => type === "object" && Array.isArray(input));
    const keys = path.slice(0, list === -1 ? undefined : list).map(({ key }) => String(key));
    // data.attributes.title is title; of what lies deeper, the field it lies in.
    const field = keys.slice(0, 3).at(-1) ?? "data";
    addFieldError(errors, field, list === -1 ? fieldMessage(issue, keys.length) : issue.message);
  }
  return errors;
}

/** valibot words a missing member as if its parent were no object, and takes a list for an object without members. */
function fieldMessage(issue: v.BaseIssue<unknown>, depth: number): string {
  const missing = issue.type === "object" && issue.input === undefined && depth <= 3;
  return missing ? "is required" : issue.message;
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Null, or why text cannot be stored: databases end it at a NUL and have no place for half a surrogate pair. */
export function unstorableText(text: string): string | null {
  return UNSTORABLE.test(text) ? "must not contain NUL or unpaired surrogates" : null;
}
