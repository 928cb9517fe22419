import { html, type Markup } from '../html.ts';
import { pathWith } from './format.ts';

export interface Column {
  title: string;
  /** Right-aligned figures. */
  number?: boolean;
  /** For the column of buttons: its title is for screen readers only. */
  quiet?: boolean;
}

/** A table under a caption that scrolls sideways where it must; `empty` is said when it has no rows. */
export function table(
  caption: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly unknown[])[],
  empty: string,
): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const heads = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table>
<caption class="quiet">${caption}</caption>
<thead><tr>${heads.map(
    ({ title, number, quiet }) =>
      html`<th scope="col"${number && html` class="number"`}>${
        quiet ? html`<span class="quiet">${title}</span>` : title
      }</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  (cells) => html`<tr>${cells.map((cell, at) => {
    const className = heads[at]?.number ? 'number' : heads[at]?.quiet ? 'actions' : '';
    const inner = html`${cell}`;
    if (at === 0) return html`<th scope="row">${inner}</th>`;
    return className === ''
      ? html`<td>${inner}</td>`
      : html`<td class="${className}">${inner}</td>`;
  })}</tr>
`,
)}</tbody>
</table>
</div>`;
}

/** Names and what they are. Facts without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: unknown])[]): Markup {
  const given = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return html`<dl class="facts">${given.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** A part of a page under a heading. */
export function section(title: string, content: Markup, intro?: string): Markup {
  const id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${intro && html`<p class="intro">${intro}</p>`}
${content}
</section>`;
}

export interface ActLink {
  /** The form's name: `order-clear`. */
  form: string;
  text: string;
  /** What it is about, for those who hear the link without its row. */
  about?: string;
  given: Readonly<Record<string, string>>;
  /** Where to go on afterwards. */
  back?: string;
  tone?: 'danger' | 'main';
}

/** The way to the page that asks whether it is meant. */
export function act({ form, text, about, given, back, tone }: ActLink): Markup {
  const href = pathWith(`/ops/do/${form}`, { ...given, back });
  return html`<a class="button ${tone}" href="${href}">${text}${
    about && html`<span class="quiet"> ${about}</span>`
  }</a>`;
}

/** Several of them in a row. */
export function acts(links: readonly (ActLink | false)[]): Markup {
  const shown = links.filter((each) => each !== false);
  return shown.length === 0 ? html`` : html`<p class="acts">${shown.map(act)}</p>`;
}

export interface Tab {
  text: string;
  href: string;
  current: boolean;
  count?: number | undefined;
}

/** Views of one list. */
export function tabs(label: string, items: readonly Tab[]): Markup {
  return html`<nav class="tabs" aria-label="${label}"><ul>${items.map(
    ({ text, href, current, count }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${text}${
        count !== undefined && html` <span class="count">${count}</span>`
      }</a></li>`,
  )}</ul></nav>`;
}

/** The way to the next page of a list. */
export function pager(
  path: string,
  query: Readonly<Record<string, unknown>>,
  text: string,
  onFirst: boolean,
): Markup {
  const { cursor, ...rest } = query;
  const next = cursor === null || cursor === undefined ? null : pathWith(path, { ...rest, cursor });
  if (next === null && onFirst) return html``;
  return html`<nav class="pager" aria-label="Pages of the list"><ul>
${!onFirst && html`<li><a href="${pathWith(path, rest)}">First page</a></li>`}
${next !== null && html`<li><a href="${next}" rel="next">${text}</a></li>`}
</ul></nav>`;
}
