/** HTML that is safe to write out. */
export interface Markup {
  readonly html: string;
}

/** HTML with values in it: text is escaped, also for quoted attributes; markup is taken as it is, null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Markup | null)[]): Markup {
  const parts = strings.map((text, index) => `${text}${render(values[index] ?? null)}`);
  return { html: parts.join("") };
}

function render(value: string | Markup | null): string {
  if (value === null) return "";
  return typeof value === "string" ? escapeText(value) : value.html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
