/**
 * The content of a mail, for both HTML and plain text (`render-letter.ts`). Untrusted values need no escaping here:
 * rendering escapes them and removes deceptive characters.
 */
export interface Letter {
  subject: string;
  /** The text that an inbox shows next to the subject. */
  preview: string;
  title: string;
  blocks: readonly Block[];
}

export type Block =
  | { type: 'paragraph'; text: string }
  | { type: 'note'; text: string }
  | { type: 'facts'; rows: readonly Fact[] }
  | { type: 'amounts'; rows: readonly Fact[]; total: Fact }
  | { type: 'button'; label: string; url: string }
  | { type: 'link'; label: string; url: string };

type Fact = readonly [label: string, value: string];

export const paragraph = (text: string): Block => ({ type: 'paragraph', text });
/** Returns a block of smaller text, for details that only some readers need. */
export const note = (text: string): Block => ({ type: 'note', text });
/** Returns a table of names and values, without rows that have no value. */
export const facts = (...rows: readonly (readonly [string, string | null])[]): Block => ({
  type: 'facts',
  rows: rows.filter((row): row is Fact => row[1] !== null && row[1] !== ''),
});
export const amounts = (rows: readonly Fact[], total: Fact): Block => ({
  type: 'amounts',
  rows,
  total,
});
/** Returns a plain link, for secondary actions. */
export const link = (label: string, url: string): Block => ({ type: 'link', label, url });
export const button = (label: string, url: string): Block => ({ type: 'button', label, url });
