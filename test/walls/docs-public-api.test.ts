import { describe, expect, it } from '@jest/globals';
import { publicRoutes } from '../../api/public/public-router.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const sections = sectionsOf(readProjectFile('docs/public-api.md'));
const table = (title: string) => tableOf(sections.find((each) => each.title === title)?.text ?? '');

describe('docs/public-api.md', () => {
  it('lists every endpoint with its limit group, and no other', () => {
    const listed = table('Endpoints').map(
      ({ Method, Path, Limit }) => `${Method} ${Path} ${Limit}`,
    );
    const served = publicRoutes.map(
      ({ method, path, limit }) => `${method} \`${path.replace(/:(\w+)/g, '{$1}')}\` ${limit}`,
    );
    expect(listed.sort()).toEqual(served.sort());
  });

  it('names for each endpoint a test that calls it', () => {
    const unproved = table('Endpoints').filter(({ Path = '', 'Proved by': proof = '' }) => {
      const [, file] = /\]\(\.\.\/(test\/[\w./-]+\.test\.ts)\)$/.exec(proof) ?? [];
      const path = Path.replaceAll('`', '').replace(/\{\w+\}/g, '[^/\'"`]+');
      return !file || !new RegExp(`['"\`]${path}['"\`?]`).test(readProjectFile(file));
    });
    expect(unproved).toEqual([]);
  });

  it('tells the limits that are in force by default', () => {
    const listed = Object.fromEntries(
      table('Limits')
        .filter(({ Group }) => Group !== undefined)
        .map((row) => [
          row.Group,
          [row['A minute, not signed in'], row['A minute, signed in']].map(Number),
        ]),
    );
    expect(listed).toEqual({
      search: [VARIABLES.limitPublicSearch.fallback, VARIABLES.limitUserSearch.fallback],
      whois: [VARIABLES.limitPublicWhois.fallback, VARIABLES.limitUserWhois.fallback],
      reads: [VARIABLES.limitPublicReads.fallback, VARIABLES.limitUserReads.fallback],
      batch: [VARIABLES.limitPublicBatch.fallback, VARIABLES.limitUserBatch.fallback],
      bulk: [0, VARIABLES.limitUserBulk.fallback],
    });
  });
});
