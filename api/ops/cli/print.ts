import { ConfigError } from '../../../shared/platform/config.ts';
import type { FieldFault } from '../../../shared/platform/errors.ts';
import { toServiceError } from '../../http/error-response.ts';
import type { OpsAnswer } from '../action.ts';
import { flagOf } from './options.ts';

/** What a failed command says: the error envelope of the APIs, without a request. */
export interface CommandError {
  code: string;
  message: string;
  details?: unknown;
}

/** The envelope for whatever a command threw; option names replace field paths. */
export function describeFailure(thrown: unknown): CommandError {
  if (thrown instanceof ConfigError) {
    return { code: 'validation_error', message: thrown.message, details: thrown.faults };
  }
  const error = toServiceError(thrown);
  if (error.code === 'internal_error') {
    return { code: error.code, message: `The command failed: ${lastWords(thrown)}` };
  }
  if (error.code === 'validation_error') {
    const faults = ((error.details ?? []) as FieldFault[]).map((fault) => ({
      path: fault.path.replace(/^\/(\w+)/, (_match, field: string) => flagOf(field)),
      message: fault.message,
    }));
    const message = faults.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    return {
      code: error.code,
      message: message || error.message,
      ...(faults.length > 0 && { details: faults }),
    };
  }
  const { code, message, details } = error;
  return { code, message, ...(details !== undefined && { details }) };
}

/** A database error without the statement that knex puts before it. */
function lastWords(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split(' - ').at(-1) ?? text;
}

/** An answer for people: a line a field, and a table for a list of objects. */
export function readable(answer: OpsAnswer): string {
  const fields = flatten(answer);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  const lines = fields.map(([name, value]) =>
    isTable(value) ? `${name}\n${table(value)}` : `${name.padEnd(width)}  ${show(value)}`,
  );
  return lines.join('\n');
}

function flatten(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, child]): [string, unknown][] =>
    isPlainObject(child) ? flatten(child, `${prefix}${name}.`) : [[prefix + name, child]],
  );
}

function isTable(value: unknown): value is object[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainObject);
}

function isPlainObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function table(rows: object[]): string {
  const flat = rows.map((row) => Object.fromEntries(flatten(row)));
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...flat.map((row) => columns.map((column) => show(row[column])))];
  const widths = columns.map((_column, at) =>
    Math.max(...cells.map((row) => row[at]?.length ?? 0)),
  );
  return cells
    .map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}

function show(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(show).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
