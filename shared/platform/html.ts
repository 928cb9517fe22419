const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that is safe to send without further escaping. */
export interface Markup {
  readonly markup: string;
}

/** Builds markup, escaping every interpolated value that is not markup itself. */
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

/** Attributes of an element by name. `true` stands for the name alone; false and undefined leave it out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Renders attributes as markup, in order, each preceded by a space. */
export function attributes(values: Attributes): Markup {
  return html`${Object.entries(values).map(([name, value]) => {
    if (value === false || value === null || value === undefined) return '';
    return value === true ? html` ${name}` : html` ${name}="${value}"`;
  })}`;
}
