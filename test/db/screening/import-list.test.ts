import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { screenParties } from '../../../shared/people/screening/screen-parties.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { buyerNamed, csvList, givenList, givenListFile } from '../../support/screening.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const rows = Array.from({ length: 1_200 }, (_, at) => ({
  id: `E-${at}`,
  name: `Ferdinandus Quellmann${at}`,
}));
const found = async (name: string, rest = {}) =>
  (await screenParties(runtime.db.knex, [buyerNamed(name, rest)])).map(({ entryId }) => entryId);
const version = async (list: string) =>
  (await runtime.db.knex('screening_lists').where({ list }).first())?.version;

describe('importing a screening list', () => {
  it('replaces the previous version and requests a screening of all parties', async () => {
    const loaded = await givenList(runtime, 'one', [
      ...rows,
      { id: 'X', name: 'Ismene Vorberger' },
    ]);
    expect(loaded).toMatchObject({ version: 1, format: 'csv', entries: 1_201, names: 1_201 });
    expect(await found('Ismene Vorberger')).toEqual(['X']);
    await givenList(runtime, 'one', [...rows, { id: 'Y', name: 'Gundolf Ehrenreichert' }]);
    expect(await found('Ismene Vorberger')).toEqual([]);
    expect(await found('Ehrenreichert, Gundolf')).toEqual(['Y']);
    const jobs = await runtime.db.knex('outbox').where({ name: 'rescreen' }).orderBy('id');
    expect(jobs.map(({ payload }) => payload)).toEqual([
      { list: 'one', version: 1 },
      { list: 'one', version: 2 },
    ]);
    const trail = await runtime.db.knex('audit_log').where({ action: 'screening:import' });
    expect(trail.map(({ subject, after }) => [subject, after.version])).toEqual([
      ['one', 1],
      ['one', 2],
    ]);
  });

  it.each([
    ['truncated', `${csvList('one', rows)}one,E-9999,person`, /is broken at line/],
    ['empty', '', /must have a header|has no entries/],
    ['without entries', csvList('one', []), /has no entries/],
    [
      'one with an entry twice',
      csvList('one', [...rows, { id: 'E-3', name: 'Other' }]),
      /E-3 twice/,
    ],
    ['far shorter', csvList('one', rows.slice(0, 500)), /use --accept-loss/],
  ])('changes nothing when the file is %s', async (_what, content, why) => {
    const before = await version('one');
    await expect(givenListFile(runtime, 'one', content)).rejects.toMatchObject({
      details: [{ path: '/file', message: expect.stringMatching(why) }],
    });
    expect(await version('one')).toBe(before);
    expect(await found('Gundolf Ehrenreichert')).toEqual(['Y']);
  });

  it('accepts a much shorter file with acceptLoss', async () => {
    await givenList(runtime, 'one', [{ id: 'Z', name: 'Rosalinde Achternbusch' }], {
      acceptLoss: true,
    });
    expect(await found('Gundolf Ehrenreichert')).toEqual([]);
    expect(await found('Rosalinde Achternbusch')).toEqual(['Z']);
  });

  it('leaves other lists alone, which may contain the same person', async () => {
    await givenList(runtime, 'two', [{ id: 'Z', name: 'Rosalinde Achternbusch' }]);
    expect(await found('Rosalinde Achternbusch')).toEqual(['Z', 'Z']);
  });
});

describe('birth date and country of a party', () => {
  it('raise or lower a match if the list has them too', async () => {
    await givenList(runtime, 'two', [
      { id: 'B', name: 'Philibert Unterweger', birthDates: ['1960-05-01'], countries: ['AT'] },
    ]);
    const scoreOf = async (rest: object, name = 'Philibert Unterwegger') =>
      (await screenParties(runtime.db.knex, [buyerNamed(name, rest)]))[0]?.score;
    const plain = (await scoreOf({}, 'Phillibert Undervegger')) ?? 0;
    expect(await scoreOf({ country: 'AT' }, 'Phillibert Undervegger')).toBe(
      Math.min(100, plain + 2),
    );
    expect(await scoreOf({ country: 'FR' }, 'Phillibert Undervegger')).toBe(plain - 2);
    expect(await scoreOf({ birthDate: '1961' })).toBe(100);
    expect(await scoreOf({ birthDate: '1985-01-01' })).toBeUndefined();
  });
});
