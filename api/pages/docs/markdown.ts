import MarkdownIt, { type Token } from 'markdown-it';
import type { Markup } from '../../../shared/platform/html.ts';
import { scrollBox } from '../kit/table.ts';
import { codeBlock } from './code-block.ts';
import { type CodeSample, codeSamples } from './code-samples.ts';
import { stateDiagram } from './state-diagram.ts';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** A Markdown page as markup; HTML in the text is escaped. */
export interface RenderedPage {
  title: string;
  /** Everything except the title. */
  markup: string;
  /** Second- and third-level headings, in order. */
  headings: readonly Heading[];
  /** Whether it has code samples in several languages. */
  hasSamples: boolean;
}

export interface PageContext {
  /** Returns where a link leads in the portal, and the page's name if it is one of ours. */
  resolve(target: string): { href: string; name?: string };
  /** The files that a page can list as samples: portal path to text. */
  samples: ReadonlyMap<string, string>;
}

// HTML in the text is shown, not rendered; URLs that run scripts do not become links.
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
/** Whether a cell is of a column of figures, which `---:` marks. */
const isFigure = (token: Token | undefined) => token?.attrGet('style') === 'text-align:right';
rules.th_open = (tokens, at) =>
  isFigure(tokens[at]) ? '<th scope="col" class="number">' : '<th scope="col">';
// Long text needs room, and a date or a figure must not wrap.
rules.td_open = (tokens, at) => {
  const { length } = tokens[at + 1]?.content ?? '';
  if (isFigure(tokens[at])) return '<td class="number">';
  if (length > LONG_CELL) return '<td class="long">';
  return length <= SHORT_CELL ? '<td class="short">' : '<td>';
};
rules.fence = (tokens, at) => {
  const { content = '', info = '' } = tokens[at] ?? {};
  const drawing = info === 'mermaid' ? stateDiagram(content, `drawing-${at}`) : undefined;
  return (drawing ?? codeBlock(content, info)).markup;
};
rules.code_block = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '').markup;

/** The marks where `npm run docs` writes a table; readers don't see them. */
const GENERATED_MARKS = /^<!-- (?:generated: [\w ]+|\/generated) -->$/gm;

/** Precedes a list of samples, one per language: the link to the file, then a note about it. */
const SAMPLES_MARK = '<!-- samples -->';

/** Renders a page of the repository's documentation. */
export function renderMarkdown(text: string, context: PageContext): RenderedPage {
  const tokens = markdown.parse(text.replace(GENERATED_MARKS, ''), {});
  const idFor = idMaker();
  const headings = nameHeadings(tokens, idFor);
  for (const token of tokens) rewriteLinks(token.children ?? [], context);
  const hasSamples = tokens.some(isSamplesMark);
  const title = headings.find(({ level }) => level === 1)?.text ?? '';
  return {
    title,
    markup: markdown.renderer.render(
      withSamples(withoutTitle(tokens), idFor, context),
      markdown.options,
      {},
    ),
    headings: headings.filter(({ level }) => level === 2 || level === 3),
    hasSamples,
  };
}

/** Renders a few paragraphs of Markdown, such as a description in an OpenAPI document. */
export function renderProse(text: string): Markup {
  return { markup: markdown.render(text) };
}

/** Renders one line of Markdown, without the paragraph around it. */
export function renderLine(text: string): Markup {
  return { markup: markdown.renderInline(text) };
}

/** The text below one of a page's headings, without markup. */
export interface PageSection {
  /** The heading's id; empty for the part before the second heading. */
  id: string;
  heading: string;
  text: string;
}

/** Returns a page as plain text, cut at headings down to the third level; the first section has the page's title. */
export function readSections(text: string): PageSection[] {
  const tokens = markdown.parse(text, {});
  const headings = nameHeadings(tokens, idMaker());
  const sections: PageSection[] = [];
  let nth = 0;
  for (const [at, token] of tokens.entries()) {
    if (tokens[at - 1]?.type === 'heading_open') {
      const { level = 1, id = '', text: heading = '' } = headings[nth++] ?? {};
      if (level <= 3) sections.push({ id: level === 1 ? '' : id, heading, text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section) section.text += plainText(token);
  }
  return sections;
}

function plainText({ type, content, children }: Token): string {
  if (type === 'fence') return `${content} `;
  if (type !== 'inline') return '';
  return `${(children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('')} `;
}

/** Gives each heading the id that code hosts give it, and a link to itself. */
function nameHeadings(tokens: Token[], idFor: (text: string) => string): Heading[] {
  const headings: Heading[] = [];
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type !== 'heading_open' || !inline) continue;
    const text = (inline.children ?? []).map(({ content }) => content).join('');
    const id = idFor(inline.content);
    const level = Number(token.tag.slice(1));
    headings.push({ level, id, text });
    if (level === 1) continue;
    token.attrSet('id', id);
    const link = ` <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
    inline.children?.push(htmlToken(token, 'html_inline', link));
  }
  return headings;
}

/** Returns a function that makes ids from texts, unique on a page. */
function idMaker(): (text: string) => string {
  const taken = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}

/** Wraps markup in a token; `other` is any token, because the library does not export the class. */
function htmlToken(other: Token, type: 'html_block' | 'html_inline', markup: string): Token {
  const token = new (other.constructor as typeof Token)(type, '', 0);
  token.content = markup;
  return token;
}

/** Returns the anchor of a heading. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');
}

const isSamplesMark = ({ type, content }: Token) => type === 'inline' && content === SAMPLES_MARK;

/** Replaces each list of samples with the samples themselves. */
function withSamples(
  tokens: readonly Token[],
  idFor: (text: string) => string,
  context: PageContext,
): Token[] {
  const at = tokens.findIndex(isSamplesMark);
  const mark = tokens[at];
  if (!mark) return [...tokens];
  const end = tokens.findIndex(({ type }, place) => place > at && type === 'bullet_list_close');
  const samples = tokens
    .slice(at + 1, end)
    .filter(({ type }) => type === 'inline')
    .map(({ children }) => sampleOf(children ?? [], idFor, context));
  // The mark is inside a paragraph, which opens before it.
  return [
    ...tokens.slice(0, at - 1),
    htmlToken(mark, 'html_block', codeSamples(samples).markup),
    ...withSamples(tokens.slice(end + 1), idFor, context),
  ];
}

/** Reads an entry of a list of samples: the link to the file, a full stop, and the page's note about it. */
function sampleOf(
  children: readonly Token[],
  idFor: (text: string) => string,
  { samples }: PageContext,
): CodeSample {
  const href = String(children[0]?.attrGet('href'));
  const name = children[1]?.content ?? '';
  const code = samples.get(href);
  if (code === undefined)
    throw new Error(`The sample “${name}” links to no file that is published.`);
  const end = children.findIndex(({ type }) => type === 'link_close');
  const note = markdown.renderer.render(children.slice(end + 1), markdown.options, {});
  return { name, id: idFor(name), href, code, note: { markup: note.replace(/^[.\s]+/, '') } };
}

function rewriteLinks(children: Token[], context: PageContext): void {
  for (const [at, child] of children.entries()) {
    if (child.type !== 'link_open') continue;
    const { href, name } = context.resolve(String(child.attrGet('href')));
    child.attrSet('href', href);
    const text = children[at + 1];
    // A file's name means something only in the repository.
    if (text && name && /^[\w-]+\.md$/.test(text.content)) text.content = name;
  }
}

function withoutTitle(tokens: readonly Token[]): Token[] {
  const start = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  return start === -1 ? [...tokens] : tokens.filter((_, at) => at < start || at > start + 2);
}
