import { attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { pathWith } from './format.ts';
import { emptyState } from './page-parts.ts';

export interface Column {
  title: string;
  /** A column of figures, aligned right. */
  number?: boolean;
  /** A column of buttons; its title is for screen readers only. */
  actions?: boolean;
  /** For sortable columns: where the column's head leads, and the current sort direction. */
  sort?: { href: string; now: 'ascending' | 'descending' | undefined };
}

/** Returns a column of figures. */
export function numberColumn(title: string): Column {
  return { title, number: true };
}

/** The last column, with a row's buttons. */
export const ACTIONS: Column = { title: 'Actions', actions: true };

/**
 * Returns a table with a caption, or `empty` if it has no rows. On a narrow screen its rows become cards, so that
 * nothing is out of view; the roles keep it a table for assistive technology.
 */
export function table(
  caption: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly unknown[])[],
  empty: string,
): Markup {
  if (rows.length === 0) return emptyState(empty);
  const heads: Column[] = columns.map((column) =>
    typeof column === 'string' ? { title: column } : column,
  );
  // A box without links or buttons must be focusable itself to be scrolled with the keyboard.
  const hasButtons = heads.some(({ actions }) => actions);
  return html`${scrollBox(caption, { cards: true, focusable: !hasButtons })}
<table role="table">
<caption class="unseen">${caption}</caption>
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

/** Returns the opening tag of the box in which a wide table scrolls sideways. */
export function scrollBox(label: string, box: { cards?: boolean; focusable: boolean }): Markup {
  return html`<div${attributes({
    class: box.cards ? 'scroll cards' : 'scroll',
    role: 'group',
    'aria-label': label,
    tabindex: box.focusable && 0,
  })}>`;
}

function headCell({ title, number, actions, sort }: Column): Markup {
  const sorted = attributes({ class: number && 'number', 'aria-sort': sort?.now });
  const text = actions ? html`<span class="unseen">${title}</span>` : title;
  return html`<th scope="col" role="columnheader"${sorted}>${sort ? html`<a href="${sort.href}">${text}</a>` : text}</th>`;
}

function bodyCell({ title, number, actions }: Column, cell: unknown): Markup {
  const kind = number ? 'number' : actions ? 'actions' : '';
  // One child per cell: on a narrow screen it is shown beside the column's name.
  const inner = actions || cell === '' || cell === null ? html`${cell}` : html`<div>${cell}</div>`;
  return html`<td role="cell" data-label="${title}"${kind !== '' && html` class="${kind}"`}>${inner}</td>`;
}

/** Returns the link to the next page of a list; nothing if the first page is the only one. */
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
