import { formatMoney, Money } from '../../../shared/platform/money.ts';
import { sanitizeForTerminal } from '../../../shared/platform/terminal-text.ts';
import { formatInstant } from '../../pages/kit/format.ts';
import type { OpsAnswer } from '../ops-action.ts';

/** The width if the terminal's is unknown. */
const USUAL_WIDTH = 80;
const NARROWEST = 40;
const GAP = 2;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** How an answer is formatted for people. */
export interface OutputLayout {
  /** Characters per line; unknown if the output is not a terminal. */
  width?: number | undefined;
  /** The most important columns, for terminals too narrow for a table of all of them. */
  columns?: readonly string[] | undefined;
}

/** A name and its value. */
type Field = readonly [name: string, value: unknown];

/**
 * Formats an answer for people: one line per field, and below them each list of objects as a table, or as one block per
 * object if the table is wider than the terminal. Amounts and times are formatted; `--json` prints raw values.
 */
export function formatAnswer(answer: OpsAnswer, layout: OutputLayout = {}): string {
  const width = Math.max(layout.width ?? USUAL_WIDTH, NARROWEST);
  const fields = fieldsOf(answer);
  const single = fields.filter(([, value]) => !isList(value));
  const lists = fields.filter(([, value]) => isList(value));
  return [
    ...(single.length > 0 ? [block(single, width)] : []),
    ...lists.map(([name, value]) => listOf(name, value as object[], width, layout.columns)),
  ].join('\n');
}

function listOf(
  name: string,
  list: readonly object[],
  width: number,
  preferred: readonly string[] | undefined,
): string {
  const rows = list.map((row) =>
    fieldsOf(row).map(([field, value]): Field => [field, show(value)]),
  );
  const table = tableOf(rows);
  if (widthOf(table) <= width) return [name, ...table].join('\n');
  const few =
    preferred && tableOf(rows.map((row) => row.filter(([field]) => preferred.includes(field))));
  if (few && widthOf(few) <= width) {
    return [name, ...few, '', '--json shows every field.'].join('\n');
  }
  const blocks = rows.map((row) =>
    block(
      row.filter(([, value]) => value !== '-'),
      width,
    ),
  );
  return blocks.map((each, at) => `${name} ${at + 1} of ${rows.length}\n${each}`).join('\n\n');
}

/** Formats names on the left, values on the right; long values wrap. */
function block(fields: readonly Field[], width: number): string {
  const names = Math.max(0, ...fields.map(([name]) => name.length));
  const room = Math.max(width - names - GAP, NARROWEST / 2);
  return fields
    .flatMap(([name, value]) => {
      const text = [...show(value)];
      const lines = Array.from({ length: Math.max(1, Math.ceil(text.length / room)) }, (_, at) =>
        text.slice(at * room, (at + 1) * room).join(''),
      );
      return lines.map((line, at) =>
        `${(at === 0 ? name : '').padEnd(names)}${' '.repeat(GAP)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}

function tableOf(rows: readonly (readonly Field[])[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => row.map(([name]) => name)))];
  const cells = [
    columns,
    ...rows.map((row) => {
      const values = new Map(row);
      return columns.map((column) => String(values.get(column) ?? '-'));
    }),
  ];
  const widths = columns.map((_column, at) =>
    Math.max(...cells.map((row) => row[at]?.length ?? 0)),
  );
  return cells.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' '.repeat(GAP))}`.trimEnd(),
  );
}

function widthOf(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => line.length));
}

/** Returns an object's fields, nested names with a dot. An amount loses its `_cents` if its currency is a field. */
function fieldsOf(value: object, prefix = ''): Field[] {
  const entries = Object.entries(value);
  const currency = entries.find(([name]) => name === 'currency')?.[1];
  const priced = typeof currency === 'string' && entries.some(([name]) => name.endsWith('_cents'));
  return entries.flatMap(([name, child]): Field[] => {
    if (priced && name === 'currency') return [];
    if (priced && name.endsWith('_cents')) {
      const shown = typeof child === 'number' ? formatMoney(new Money(child, currency)) : child;
      return [[prefix + name.replace(/_cents$/, ''), shown]];
    }
    return isPlainObject(child) ? fieldsOf(child, `${prefix}${name}.`) : [[prefix + name, child]];
  });
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainObject);
}

function isPlainObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return formatInstant(value);
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(show).join(', ');
  if (typeof value === 'object') {
    return fieldsOf(value)
      .map(([name, child]) => `${name} ${show(child)}`)
      .join(', ');
  }
  const text = String(value);
  return INSTANT.test(text) ? show(new Date(text)) : sanitizeForTerminal(text);
}
