import { extname } from 'node:path/posix';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { codeBlock } from './code-block.ts';

/** A program in the documentation: one of several in different languages that do the same. */
export interface CodeSample {
  /** The name of its tab. */
  name: string;
  /** The id of its element, unique on the page. */
  id: string;
  /** The URL of the file. */
  href: string;
  code: string;
  /** The page's note about it. */
  note: Markup;
}

/** The languages of samples, by file extension. */
const LANGUAGE_BY_EXTENSION: Readonly<Record<string, string>> = {
  '.go': 'go',
  '.mts': 'ts',
  '.php': 'php',
  '.py': 'python',
  '.sh': 'sh',
  '.ts': 'ts',
};

/** The file extensions that samples can have. */
export const SAMPLE_EXTENSIONS: readonly string[] = Object.keys(LANGUAGE_BY_EXTENSION);

/**
 * Returns samples one below another. Several samples get headings, and `samples.js` turns them into tabs by
 * `data-language`, which is the same on every page.
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
