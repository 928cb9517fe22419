import { describe, expect, it } from '@jest/globals';
import { DEPRECATIONS, type Deprecation, NOTICE_DAYS } from '../../api/http/deprecation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\d$/;
const ROWS = { public: publicRoutes, partner: partnerRoutes };

/** The errors in an entry of the table. */
function faultsOf(entry: Deprecation): string[] {
  const { api, method, path, parameter, since, sunset, link } = entry;
  const row = ROWS[api].find((each) => each.method === method && each.path === path);
  if (!row) return ['no row has this method and path'];
  const query = (row.query as { properties?: object } | undefined)?.properties ?? {};
  const notice = (Date.parse(sunset) - Date.parse(since)) / DAY_MS;
  return [
    ...(parameter !== undefined && !(parameter in query) ? ['no such parameter'] : []),
    ...(DATE.test(since) && DATE.test(sunset) ? [] : ['since and sunset must be dates']),
    ...(notice >= NOTICE_DAYS ? [] : [`the sunset must be ${NOTICE_DAYS} days ahead`]),
    ...(link.startsWith('https://') ? [] : ['the link must be https']),
  ];
}

const GOOD: Deprecation = {
  api: 'public',
  method: 'GET',
  path: '/market/listings',
  since: '2026-11-21',
  sunset: '2027-02-19',
  link: 'https://market.example/docs/versioning',
};

describe('the deprecation table', () => {
  it('contains only existing routes and parameters, with 90 days of notice', () => {
    expect(DEPRECATIONS.flatMap(faultsOf)).toEqual([]);
    expect(NOTICE_DAYS).toBe(90);
  });

  it('is checked by a function that catches each kind of mistake', () => {
    expect(faultsOf(GOOD)).toEqual([]);
    expect(faultsOf({ ...GOOD, sunset: '2027-02-18' })).toEqual([
      'the sunset must be 90 days ahead',
    ]);
    expect(faultsOf({ ...GOOD, sunset: 'soon' })).not.toEqual([]);
    expect(faultsOf({ ...GOOD, path: '/nothing' })).not.toEqual([]);
    expect(faultsOf({ ...GOOD, parameter: 'nothing' })).not.toEqual([]);
  });
});
