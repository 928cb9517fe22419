import { pathWith } from './format.ts';
import { html, type Markup } from './html.ts';

export interface Column {
  title: string;
  /** Right-aligned figures. */
  number?: boolean;
  /** For the column of buttons: its title is for screen readers only. */
  quiet?: boolean;
}

/**
 * A table under a caption; `empty` is said when it has no rows. On a narrow screen its rows become cards, so that
 * nothing is out of sight: the roles keep it a table for everybody.
 */
export function table(
  caption: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly unknown[])[],
  empty: string,
): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const heads: Column[] = columns.map((column) =>
    typeof column === 'string' ? { title: column } : column,
  );
  // What has no link in it is scrolled from the keyboard by itself.
  const acts = heads.some(({ quiet }) => quiet);
  return html`<div class="scroll" role="group" aria-label="${caption}"${!acts && html` tabindex="0"`}>
<table role="table">
<caption class="quiet">${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads.map(headCell)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (cells) =>
    html`<tr role="row">${cells.map((cell, at) =>
      at === 0
        ? html`<th scope="row" role="rowheader">${cell}</th>`
        : bodyCell(heads[at] ?? { title: '' }, cell),
    )}</tr>
`,
)}</tbody>
</table>
</div>`;
}

function headCell({ title, number, quiet }: Column): Markup {
  return html`<th scope="col" role="columnheader"${number && html` class="number"`}>${
    quiet ? html`<span class="quiet">${title}</span>` : title
  }</th>`;
}

function bodyCell({ title, number, quiet }: Column, cell: unknown): Markup {
  const kind = number ? 'number' : quiet ? 'actions' : '';
  // One child a cell: on a narrow screen it stands beside the column's name.
  const inner = quiet || cell === '' || cell === null ? html`${cell}` : html`<div>${cell}</div>`;
  return html`<td role="cell" data-label="${title}"${kind !== '' && html` class="${kind}"`}>${inner}</td>`;
}

/** Names and what they are. Facts without a value are left out. */
export function descriptionList(
  rows: readonly (readonly [name: string, value: unknown])[],
): Markup {
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

export interface ActionLink {
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
export function actionLink({ form, text, about, given, back, tone }: ActionLink): Markup {
  const href = pathWith(`/ops/do/${form}`, { ...given, back });
  return html`<a class="button ${tone}" href="${href}">${text}${
    about && html`<span class="quiet"> ${about}</span>`
  }</a>`;
}

/** Several of them in a row. */
export function actionLinks(links: readonly (ActionLink | false)[]): Markup {
  const shown = links.filter((each) => each !== false);
  return shown.length === 0 ? html`` : html`<p class="acts">${shown.map(actionLink)}</p>`;
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

/** What an action changed, name by name: as it was, and as it is. */
export function changeList(before: unknown, after: unknown): Markup {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => formatChange(was[name]) !== formatChange(is[name]),
  );
  if (names.length === 0) return html`<span class="none" aria-label="none">–</span>`;
  return html`${names.map((name, at) => {
    const from = name in was && was[name] !== null ? html`${formatChange(was[name])} → ` : '';
    return html`${at > 0 && html`<br>`}<span class="hint">${name}</span> ${from}${formatChange(is[name])}`;
  })}`;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function formatChange(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(formatChange).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
