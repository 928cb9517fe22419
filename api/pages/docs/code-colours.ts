import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';

/** The languages of the documentation's blocks, by the library's names for them. */
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

let highlighter: HLJSApi | undefined;

/** Code as markup whose parts have classes for their colours; undefined for languages that it does not know. */
export function highlightCode(code: string, language: string): string | undefined {
  const name = LANGUAGES[language];
  if (name === undefined) return undefined;
  highlighter ??= load();
  return highlighter.highlight(code, { language: name }).value;
}

/** Loaded when a page with code is first asked for. */
function load(): HLJSApi {
  const require = createRequire(import.meta.url);
  const library: HLJSApi = require('highlight.js/lib/core');
  for (const name of new Set(Object.values(LANGUAGES))) {
    const grammar: LanguageFn = require(`highlight.js/lib/languages/${name}`);
    library.registerLanguage(name, grammar);
  }
  return library;
}
