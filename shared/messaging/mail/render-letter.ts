import { readFileSync } from 'node:fs';
import { html, type Markup } from '../../platform/html.ts';
import { plainLine } from '../../platform/plain-line.ts';
import type { Block, Letter } from './letter.ts';

/** The frame around a letter. */
export interface LetterFrame {
  brand: string;
  /** `#rrggbb`; null for our own color. */
  accentColor: string | null;
  /** Why the recipient got this mail, and whom to contact. */
  footer: readonly string[];
  unsubscribeUrl: string | null;
}

export interface RenderedLetter {
  subject: string;
  html: string;
  text: string;
}

const MAX_SUBJECT_LENGTH = 150;

let css: string | undefined;

/** Renders a letter as HTML for mail clients (tables, inline styles) and as plain text. */
export async function renderLetter(letter: Letter, frame: LetterFrame): Promise<RenderedLetter> {
  // Loaded on demand, since most processes never send mail.
  const { default: inlineStyles } = await import('juice');
  css ??= readFileSync(new URL('./mail.css', import.meta.url), 'utf8');
  return {
    subject: plainLine(letter.subject, MAX_SUBJECT_LENGTH),
    html: inlineStyles(page(letter, frame).markup, {
      extraCss: css + accentOf(frame),
      insertPreservedExtraCss: true,
    }),
    text: plainText(letter, frame),
  };
}

/** Returns the CSS for the partner's color, which was validated when it was set. */
function accentOf({ accentColor }: LetterFrame): string {
  return accentColor === null ? '' : `.button-cell { background-color: ${accentColor}; }`;
}

function page(letter: Letter, frame: LetterFrame): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${line(letter.subject)}</title>
</head>
<body class="page">
<div class="preview">${line(letter.preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="gutter" align="center">
<table role="presentation" class="card" cellpadding="0" cellspacing="0" border="0"><tr><td class="inner">
<p class="brand">${line(frame.brand)}</p>
<h1 class="title">${line(letter.title)}</h1>
${letter.blocks.map(blockMarkup)}
</td></tr></table>
<table role="presentation" width="100%" style="max-width: 600px; margin: 0 auto" cellpadding="0" cellspacing="0" border="0"><tr><td class="footer">
${frame.footer.map((text) => html`<p style="margin: 0 0 6px">${line(text)}</p>`)}
${frame.unsubscribeUrl && html`<p style="margin: 0"><a class="link" href="${frame.unsubscribeUrl}">Unsubscribe</a></p>`}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The maximum length of a paragraph: our own sentences, with only short values from others. */
const MAX_PARAGRAPH_LENGTH = 1_500;

const line = (text: string) => plainLine(text, MAX_PARAGRAPH_LENGTH);

/** Isolates a value, so that right-to-left text does not reorder the words around it. */
const value = (text: string) => html`<bdi>${plainLine(text)}</bdi>`;

function blockMarkup(block: Block): Markup {
  switch (block.type) {
    case 'paragraph':
      return html`<p class="paragraph">${line(block.text)}</p>\n`;
    case 'note':
      return html`<p class="note">${line(block.text)}</p>\n`;
    case 'facts':
      return html`<table class="facts" cellpadding="0" cellspacing="0" border="0">${block.rows.map(
        ([label, text]) =>
          html`<tr><th scope="row" class="label">${line(label)}</th><td class="value">${value(text)}</td></tr>`,
      )}</table>\n`;
    case 'amounts':
      return html`<table class="facts" cellpadding="0" cellspacing="0" border="0">${block.rows.map(
        ([label, text]) =>
          html`<tr><th scope="row" class="label">${value(label)}</th><td class="value amount">${line(text)}</td></tr>`,
      )}<tr><th scope="row" class="label total">${line(block.total[0])}</th><td class="value amount total">${line(block.total[1])}</td></tr></table>\n`;
    case 'link':
      return html`<p class="paragraph"><a class="link" href="${block.url}">${line(block.label)}</a></p>\n`;
    case 'button':
      return html`<table role="presentation" class="action" cellpadding="0" cellspacing="0" border="0"><tr><td class="button-cell"><a class="button" href="${block.url}">${line(block.label)}</a></td></tr></table>\n`;
  }
}

const TEXT_WIDTH = 72;

function plainText(letter: Letter, frame: LetterFrame): string {
  const parts = [
    line(frame.brand),
    underlined(line(letter.title)),
    ...letter.blocks.map(blockText),
    `-- \n${frame.footer.map((text) => wrap(line(text))).join('\n')}`,
    ...(frame.unsubscribeUrl === null ? [] : [`Unsubscribe: ${frame.unsubscribeUrl}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const underlined = (text: string) =>
  `${text}\n${'='.repeat(Math.min([...text].length, TEXT_WIDTH))}`;

function blockText(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'note':
      return wrap(line(block.text));
    case 'facts':
      return rowsText(block.rows);
    case 'amounts':
      return rowsText([...block.rows, block.total]);
    case 'link':
    case 'button':
      return `${line(block.label)}:\n${block.url}`;
  }
}

const rowsText = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([label, text]) => `${line(label)}: ${line(text)}`).join('\n');

/** Wraps text at spaces; longer words, such as URLs, stay whole. */
function wrap(text: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current].join('\n');
}
