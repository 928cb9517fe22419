import { html, type Markup } from '../../../shared/platform/html.ts';
import { emptyValue } from '../../pages/kit/page-parts.ts';

/** Lists what an action changed, by name: the old and the new value. */
export function changeList(before: unknown, after: unknown): Markup {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => formatChange(was[name]) !== formatChange(is[name]),
  );
  if (names.length === 0) return emptyValue();
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
