import escapeHtml from 'escape-html';

/** Markup that is safe to send. */
export interface Markup {
  readonly markup: string;
}

type Value = Markup | readonly Markup[] | string | number | false | undefined;

/**
 * Builds markup and escapes every value that is not markup itself, so that text from outside can never become a tag.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { markup: String.raw({ raw: strings }, ...values.map(textOf)) };
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}
