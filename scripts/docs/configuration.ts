import { TIME_UNITS } from '../../shared/platform/clock.ts';
import { SECTIONS } from '../../shared/platform/config/config.ts';
import type { Section, Variable } from '../../shared/platform/config/variable.ts';
import { code, table } from './markdown.ts';

/** The tables in docs/configuration.md: every variable with its default and meaning. */
export const configurationBlocks = {
  variables: () =>
    SECTIONS.map(({ title, about, variables }: Section) =>
      [
        `## ${title}`,
        ...(about === undefined ? [] : [about]),
        table(['Variable', 'Default', 'Meaning'], Object.values(variables).map(rowOf)),
      ].join('\n\n'),
    ).join('\n\n'),
};

function rowOf({ name, fallback, doc }: Variable<unknown>): string[] {
  return [code(name), defaultText(name, fallback), doc];
}

function defaultText(name: string, fallback: unknown): string {
  const values = typeof fallback === 'object' ? Object.values(fallback ?? {}) : [fallback];
  const text = values.join(',');
  if (text === '') return 'empty';
  const times = name.endsWith('_MS') ? (Array.isArray(fallback) ? fallback : [fallback]) : [];
  const readable = times.map(Number).map(durationText).join(', ');
  return readable === '' || readable === `${text} ms` ? code(text) : `${code(text)} (${readable})`;
}

/** Formats milliseconds in the largest unit that divides them evenly. */
export function durationText(ms: number): string {
  const [size, unit] = TIME_UNITS.find(([each]) => ms >= each && ms % each === 0) ?? [1, 'ms'];
  return `${ms / size} ${unit}`;
}
