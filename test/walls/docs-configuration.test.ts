import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import type { Variable } from '../../shared/platform/config/variable.ts';
import { tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const rows = tableOf(readProjectFile('docs/configuration.md'));
const variables: readonly Variable<unknown>[] = Object.values(VARIABLES);

describe('docs/configuration.md', () => {
  it('lists every variable, and no other, with the default and the meaning that the code has', () => {
    const listed = rows.map(({ Variable, Default, Meaning }) => ({
      name: Variable,
      // Behind the value there may be the same in a handier unit.
      fallback: Default?.replace(/ \(.*\)$/, ''),
      meaning: Meaning,
    }));
    const known = variables.map(({ name, fallback, doc }) => ({
      name: `\`${name}\``,
      fallback: printed(fallback),
      meaning: doc,
    }));
    expect(sorted(listed)).toEqual(sorted(known));
  });

  it('every default is a value that the variable itself would accept', () => {
    const refused = variables.filter(({ fallback, parse }) => {
      const text = asText(fallback);
      if (text === '') return false;
      return JSON.stringify(parse(text)) !== JSON.stringify(fallback);
    });
    expect(refused.map(({ name }) => name)).toEqual([]);
  });
});

function sorted<T extends { name: string | undefined }>(rows: T[]): T[] {
  return rows.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}

function printed(fallback: unknown): string {
  const text = asText(fallback);
  return text === '' ? 'empty' : `\`${text}\``;
}

function asText(fallback: unknown): string {
  return Array.isArray(fallback) ? fallback.join(',') : String(fallback);
}
