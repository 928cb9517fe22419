import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import { attributes, html, type Markup } from '../../../shared/platform/html.ts';

/** The languages of the documentation's code, with the library's names for them. */
const LANGUAGES: Readonly<Record<string, string>> = {
  go: 'go',
  http: 'http',
  js: 'javascript',
  json: 'json',
  php: 'php',
  python: 'python',
  sh: 'bash',
  sql: 'sql',
  ts: 'typescript',
};

/**
 * Returns a block of code with a button that copies it, shown if scripts are enabled. `download` is the URL of the file
 * with the code; the file's name then labels the block, instead of the language.
 */
export function codeBlock(code: string, language: string, download?: string): Markup {
  const file = download?.split('/').at(-1);
  const label = file ?? (language === '' ? 'text' : language);
  const colored = highlightCode(code, language);
  return html`<div class="code"><div class="code-bar"><span>${label}</span><span class="acts">${
    download &&
    html`<a${attributes({ class: 'button', href: download, download: true })}>Download<span class="unseen"> ${file}</span></a>`
  }<button type="button" class="copy">Copy</button></span></div><pre tabindex="0"><code>${colored ?? code}</code></pre></div>\n`;
}

let highlighter: HLJSApi | undefined;

/** Returns code as markup whose parts have color classes; undefined for unknown languages. */
function highlightCode(code: string, language: string): Markup | undefined {
  const name = LANGUAGES[language];
  if (name === undefined) return undefined;
  highlighter ??= load();
  return { markup: highlighter.highlight(code, { language: name }).value };
}

/** Loads the highlighter when a page with code is first requested. */
function load(): HLJSApi {
  const require = createRequire(import.meta.url);
  const library: HLJSApi = require('highlight.js/lib/core');
  for (const name of new Set(Object.values(LANGUAGES))) {
    const grammar: LanguageFn = require(`highlight.js/lib/languages/${name}`);
    library.registerLanguage(name, grammar);
  }
  return library;
}
