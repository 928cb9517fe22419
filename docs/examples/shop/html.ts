import escapeHtml from 'escape-html';

/** Markup that may be sent as it stands. */
export interface Markup {
  readonly markup: string;
}

type Value = Markup | readonly Markup[] | string | number | false | undefined;

/**
 * Markup with values in it. Every value is text and is escaped, unless it is markup itself: a name that came
 * from outside cannot become a tag, whoever forgets to think of it.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { markup: String.raw({ raw: strings }, ...values.map(textOf)) };
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}
