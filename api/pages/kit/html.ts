const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that is safe to send as it stands. */
export interface Markup {
  readonly markup: string;
}

/** Markup in which everything that is put in is text, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const parts = strings.map((part, at) => part + (at < values.length ? insert(values[at]) : ''));
  return { markup: parts.join('') };
}

function insert(value: unknown): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(insert).join('');
  if (typeof value === 'object' && 'markup' in value) return String(value.markup);
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
