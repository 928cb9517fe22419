/**
 * What a mail says, once for HTML and plain text (`render-letter.ts`). Values from outside need no care here:
 * rendering escapes them and takes out what could pass for something else.
 */
export interface Letter {
  subject: string;
  /** What a list of mails shows beside the subject. */
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
/** Smaller, for what only some readers need. */
export const note = (text: string): Block => ({ type: 'note', text });
/** What is known, by name; rows without a value are left out. */
export const facts = (...rows: readonly (readonly [string, string | null])[]): Block => ({
  type: 'facts',
  rows: rows.filter((row): row is Fact => row[1] !== null && row[1] !== ''),
});
export const amounts = (rows: readonly Fact[], total: Fact): Block => ({
  type: 'amounts',
  rows,
  total,
});
/** For what is not the point of the letter. */
export const link = (label: string, url: string): Block => ({ type: 'link', label, url });
export const button = (label: string, url: string): Block => ({ type: 'button', label, url });
