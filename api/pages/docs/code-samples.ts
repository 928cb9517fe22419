import { extname } from 'node:path/posix';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { codeBlock } from './code-block.ts';

/** A program of the documentation, as one of several in different languages that do the same. */
export interface CodeSample {
  /** What the reader chooses it by. */
  name: string;
  /** The id of its element, unique on the page. */
  id: string;
  /** Where the file is. */
  href: string;
  code: string;
  /** What the page says of it. */
  note: Markup;
}

/** The languages of samples, by the ends of their files' names. */
const LANGUAGE_BY_EXTENSION: Readonly<Record<string, string>> = {
  '.go': 'go',
  '.mts': 'ts',
  '.php': 'php',
  '.py': 'python',
  '.sh': 'sh',
  '.ts': 'ts',
};

/** The ends of the names of files that can be samples. */
export const SAMPLE_EXTENSIONS: readonly string[] = Object.keys(LANGUAGE_BY_EXTENSION);

/**
 * Samples one below another; if there are several, each under its heading, and `samples.js` makes tabs of
 * them by `data-language`, which is the same on every page.
 */
export function codeSamples(samples: readonly CodeSample[]): Markup {
  return html`<div class="samples">
${samples.map(({ name, id, href, code, note }) => {
  const language = LANGUAGE_BY_EXTENSION[extname(href)] ?? '';
  return html`<section class="sample" id="${id}" data-language="${language}">
${samples.length > 1 && html`<h3>${name}</h3>\n`}${note.markup !== '' && html`<p>${note}</p>\n`}${codeBlock(code, language, href)}</section>
`;
})}</div>
`;
}
