import { describe, expect, it } from '@jest/globals';
import { ERROR_CATALOGUE } from '../../shared/platform/errors.ts';
import { sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const page = readProjectFile('docs/errors.md');

describe('docs/errors.md', () => {
  it('lists every code of the catalogue with its status, and no other', () => {
    const listed = tableOf(page)
      .filter((row) => row.Code !== undefined)
      .map((row) => `${row.Status} ${row.Code}`);
    const known = Object.entries(ERROR_CATALOGUE).map(
      ([code, { status }]) => `${status} \`${code}\``,
    );
    expect(listed.sort()).toEqual(known.sort());
  });

  it('says of each when it happens and what to do', () => {
    const silent = tableOf(page).filter((row) => !row.When || !row['What to do']);
    expect(silent).toEqual([]);
  });

  it('lists every reason of a conflict', () => {
    const section = sectionsOf(page).find(({ title }) => title === 'Reasons of a conflict');
    const listed = tableOf(section?.text ?? '').map((row) => row.Reason);
    // The reasons are a type: they are read where they are declared.
    const declared = /type ConflictReason =([^;]*);/.exec(
      readProjectFile('shared/platform/errors.ts'),
    )?.[1];
    const known = [...(declared ?? '').matchAll(/'(\w+)'/g)].map(([, reason]) => `\`${reason}\``);
    expect(known.length).toBeGreaterThan(0);
    expect(listed.sort()).toEqual(known.sort());
  });
});
