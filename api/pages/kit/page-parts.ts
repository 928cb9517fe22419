import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentSummary,
} from '../../../shared/messaging/documents/document.ts';
import { attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { type IconName, icon } from './icon.ts';

/** Returns a list of names and values. Rows without a value are left out. */
export function descriptionList(
  rows: readonly (readonly [name: string, value: unknown])[],
  className = 'facts',
): Markup {
  const given = rows.filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && value !== false,
  );
  return html`<dl class="${className}">${given.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** Returns links to the PDFs of documents; false if there are none. */
export function documentLinks(
  documents: readonly DocumentSummary[],
  hrefOf: (kind: DocumentKind, id: string) => string,
): Markup | false {
  if (documents.length === 0) return false;
  return html`<ul class="documents">${documents.map(
    ({ id, kind, number }) =>
      html`<li><a href="${hrefOf(kind, id)}" download>${DOCUMENT_KINDS[kind].title}</a> <span class="sub">${number}</span></li>`,
  )}</ul>`;
}

/** Returns a section of a page, with a heading. */
export function section(title: string, content: Markup, intro?: string): Markup {
  const id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${intro && html`<p class="intro">${intro}</p>`}
${content}
</section>`;
}

export interface Tab {
  text: string;
  href: string;
  current: boolean;
  count?: number | string | undefined;
}

/** Returns tabs for the views of one list. */
export function tabs(label: string, items: readonly Tab[]): Markup {
  return html`<nav class="tabs" aria-label="${label}"><ul>${items.map(
    ({ text, href, current, count }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${text}${
        count !== undefined && html` <span class="count">${count}</span>`
      }</a></li>`,
  )}</ul></nav>`;
}

/** `bad` is an alert and `good` a status: assistive technology reads both at once. */
export type Tone = 'good' | 'wait' | 'bad' | 'neutral';

const ROLES: Readonly<Record<Tone, string | undefined>> = {
  good: 'status',
  bad: 'alert',
  wait: undefined,
  neutral: undefined,
};

export interface Notice {
  tone: Tone;
  content: unknown;
  title?: string | undefined;
  /** For elements that the notice describes. */
  id?: string | undefined;
  /** Takes the focus when the page loads, so that it is read first. */
  focus?: boolean;
}

const NOTICE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'circle-check',
  wait: 'triangle-alert',
  bad: 'circle-alert',
  neutral: 'info',
};

/** Returns a message in a box: what was done, what went wrong, or what to know. */
export function notice({ tone, content, title, id, focus }: Notice): Markup {
  const focused = focus ? { tabindex: -1, autofocus: true } : {};
  const place = attributes({ class: `notice ${tone}`, role: ROLES[tone], id, ...focused });
  return html`<div${place}>${title && html`<h2>${title}</h2>\n`}${content}${icon(NOTICE_ICONS[tone])}</div>`;
}

const BADGE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'circle-check',
  wait: 'clock',
  bad: 'circle-x',
  neutral: 'circle-dot',
};

/** Returns the content of a badge: a word with its tone's icon; the word alone says it all. */
export function badgeContent(tone: Tone, text: string | number): Markup {
  return html`${icon(BADGE_ICONS[tone])}${text}`;
}

/** Returns a word with a color. */
export function badge(tone: Tone, text: string | number): Markup {
  return html`<span class="badge ${tone}">${badgeContent(tone, text)}</span>`;
}

/** Replaces an empty list: why it is empty, and what to do. */
export function emptyState(text: unknown): Markup {
  return html`<p class="empty">${icon('inbox')}<span>${text}</span></p>`;
}

/** Returns a link; its text is escaped. */
export function link(href: string, text: string): Markup {
  return html`<a href="${href}">${text}</a>`;
}

/** Returns a link named by a domain: in Unicode, with its ASCII form below, which no lookalike shares. */
export function domainLink(href: string, domain: string): Markup {
  return html`${link(href, unicodeOf(domain))}${asciiBelow(domain)}`;
}

/** Returns a domain in a list like {@link domainLink}, without a link. */
export function domainCell(domain: string): Markup {
  return html`${unicodeOf(domain)}${asciiBelow(domain)}`;
}

/** Returns the ASCII form of a domain, for below its Unicode form; false if they are the same. */
function asciiBelow(domain: string): Markup | false {
  return unicodeOf(domain) !== domain && html`<span class="sub">${domain}</span>`;
}

/** Returns a domain within a sentence: in Unicode, followed by its ASCII form, which no lookalike shares. */
export function domainInText(domain: string): Markup {
  const unicode = unicodeOf(domain);
  return html`<strong class="name">${unicode}</strong>${unicode !== domain && html` (${domain})`}`;
}

/** Returns the line below a heading that names a domain in Unicode: its ASCII form; false if they are the same. */
export function asciiLine(domain: string): Markup | false {
  return unicodeOf(domain) !== domain && html`<p class="ascii">${domain}</p>`;
}

/** Returns the fact that a page named by a domain in Unicode shows: its ASCII form; nothing if they are the same. */
export function asciiFact(domain: string): readonly [name: string, value: unknown] {
  return ['ASCII form', unicodeOf(domain) !== domain && html`<code>${domain}</code>`];
}

/** Stands for a missing value. */
export function emptyValue(): Markup {
  return html`<span class="none" aria-label="none">–</span>`;
}
