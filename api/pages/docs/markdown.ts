import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import MarkdownIt, { type Token } from 'markdown-it';
import { scrollBox } from '../kit/table.ts';
import { stateDiagram } from './state-diagram.ts';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** A Markdown page as markup: of the text nothing is markup but what Markdown makes of it. */
export interface RenderedPage {
  title: string;
  /** All but the title. */
  markup: string;
  /** Second and third level, in order. */
  headings: readonly Heading[];
}

export interface PageContext {
  /**
   * Where a link leads in the portal, and the name of the page if it is one of ours; null when what it
   * names is not published.
   */
  resolve(target: string): { href: string; name?: string } | null;
}

// Markup in the text is shown, not used; addresses that run scripts are no links.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.disable('image');
const { escapeHtml } = markdown.utils;
/** In characters. */
const LONG_CELL = 36;
const SHORT_CELL = 16;
const { rules } = markdown.renderer;

const TABLE_BOX = scrollBox('Table', { focusable: true }).markup;
rules.table_open = () => `${TABLE_BOX}<table>\n`;
rules.table_close = () => '</table></div>\n';
rules.th_open = () => '<th scope="col">';
// Text needs room, and a date or a figure stays whole.
rules.td_open = (tokens, at) => {
  const { length } = tokens[at + 1]?.content ?? '';
  if (length > LONG_CELL) return '<td class="long">';
  return length <= SHORT_CELL ? '<td class="short">' : '<td>';
};
rules.fence = (tokens, at) => {
  const { content = '', info = '' } = tokens[at] ?? {};
  const drawing = info === 'mermaid' ? stateDiagram(content, `drawing-${at}`) : undefined;
  return drawing?.markup ?? codeBlock(content, info);
};
rules.code_block = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '');

/** Where `npm run docs` writes a table: nothing for a reader. */
const GENERATED_MARKS = /^<!-- (?:generated: [\w ]+|\/generated) -->$/gm;

/** Renders a page of the repository's documentation. */
export function renderMarkdown(text: string, context: PageContext): RenderedPage {
  const tokens = markdown.parse(text.replace(GENERATED_MARKS, ''), {});
  const headings = nameHeadings(tokens);
  for (const token of tokens) rewriteLinks(token.children ?? [], context);
  const title = headings.find(({ level }) => level === 1)?.text ?? '';
  return {
    title,
    markup: markdown.renderer.render(withoutTitle(tokens), markdown.options, {}),
    headings: headings.filter(({ level }) => level === 2 || level === 3),
  };
}

/** A block of code with a button that copies it; the button shows where scripts run. */
function codeBlock(code: string, language: string): string {
  const label = language === '' ? 'text' : language;
  return `<div class="code"><div class="code-bar"><span>${escapeHtml(label)}</span><button type="button" class="copy">Copy</button></div><pre tabindex="0"><code>${highlightCode(code, language) ?? escapeHtml(code)}</code></pre></div>\n`;
}

/** Gives each heading the id that code hosts give it, and a link to itself. */
function nameHeadings(tokens: Token[]): Heading[] {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type !== 'heading_open' || !inline) continue;
    const text = (inline.children ?? []).map(({ content }) => content).join('');
    const slug = slugOf(inline.content);
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    const id = before === 0 ? slug : `${slug}-${before}`;
    const level = Number(token.tag.slice(1));
    headings.push({ level, id, text });
    if (level === 1) continue;
    token.attrSet('id', id);
    const link = new (token.constructor as typeof Token)('html_inline', '', 0);
    link.content = ` <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
    inline.children?.push(link);
  }
  return headings;
}

/** The name of a heading in an address. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');
}

function rewriteLinks(children: Token[], context: PageContext): void {
  let dropped = false;
  for (const [at, child] of children.entries()) {
    if (child.type === 'link_open') {
      const target = String(child.attrGet('href'));
      const resolved = context.resolve(target);
      const text = children[at + 1];
      dropped = resolved === null;
      if (resolved) {
        child.attrSet('href', resolved.href);
        // A file's name says something in the repository only.
        if (text && resolved.name && /^[\w-]+\.md$/.test(text.content))
          text.content = resolved.name;
      } else {
        child.tag = 'span';
        child.attrs = [['title', `${target.split('/').at(-1)}, in the repository`]];
      }
    } else if (child.type === 'link_close' && dropped) {
      child.tag = 'span';
      dropped = false;
    }
  }
}

function withoutTitle(tokens: readonly Token[]): Token[] {
  const start = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  return start === -1 ? [...tokens] : tokens.filter((_, at) => at < start || at > start + 2);
}

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
