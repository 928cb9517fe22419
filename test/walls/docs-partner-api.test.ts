import { describe, expect, it } from '@jest/globals';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { SCOPES } from '../../shared/people/partners/credential.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const sections = sectionsOf(readProjectFile('docs/partner-api.md'));
const table = (title: string) => tableOf(sections.find((each) => each.title === title)?.text ?? '');

// The webhook paths are written without the version; the page says that both answer.
const VERSIONED_WEBHOOKS = '/v1/webhooks';
const routes = partnerRoutes.filter(({ path }) => !path.startsWith(VERSIONED_WEBHOOKS));

/** How a test writes the call: the verb (reading helpers are named `read`), then the path with anything for a parameter. */
function callOf({ Method = '', Path = '' }: Record<string, string>): RegExp {
  const verb = Method === 'GET' ? '(?:get|read)' : Method.toLowerCase();
  const path = Path.replaceAll('`', '').replace(/\{\w+\}/g, '[^/\'"`]+');
  return new RegExp(`\\b${verb}\\(\\s*['"\`]${path}['"\`]`);
}

describe('docs/partner-api.md', () => {
  it('lists every endpoint with its scopes and limit group, and no other', () => {
    const listed = table('Endpoints').map(
      ({ Method, Path, Scope, Limit }) => `${Method} ${Path} ${Scope} ${Limit}`,
    );
    const served = routes.map(({ method, path, scopes, limit }) => {
      const written = path.replace(/:(\w+)/g, '{$1}');
      return `${method} \`${written}\` ${scopes.join(' or ')} ${limit}`;
    });
    expect(listed.sort()).toEqual(served.sort());
  });

  it('says of each what it does, and which need an Idempotency-Key or the sandbox', () => {
    const rows = table('Endpoints');
    expect(rows.filter(({ What }) => !What)).toEqual([]);
    for (const route of routes) {
      const path = `\`${route.path.replace(/:(\w+)/g, '{$1}')}\``;
      const what = rows.find((row) => row.Method === route.method && row.Path === path)?.What ?? '';
      expect([path, what.includes('`Idempotency-Key`')]).toEqual([
        path,
        route.idempotencyKey === 'required',
      ]);
      expect([path, what.includes('SANDBOX only')]).toEqual([path, route.sandboxOnly === true]);
    }
  });

  it('names for each endpoint a test that calls it', () => {
    const unproved = table('Endpoints').filter((row) => {
      const [, file] = /\]\(\.\.\/(test\/[\w./-]+\.test\.ts)\)$/.exec(row['Proved by'] ?? '') ?? [];
      return !file || !callOf(row).test(readProjectFile(file));
    });
    expect(unproved).toEqual([]);
  });

  it('answers the webhook paths with and without the version', () => {
    const versioned = partnerRoutes
      .filter(({ path }) => path.startsWith(VERSIONED_WEBHOOKS))
      .map(({ method, path }) => `${method} ${path.replace('/v1', '')}`);
    const bare = routes
      .filter(({ path }) => path.startsWith('/webhooks'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(versioned.sort()).toEqual(bare.sort());
  });

  it('says what each scope opens', () => {
    const rows = table('Scopes');
    expect(rows.map(({ Scope }) => Scope).sort()).toEqual(
      SCOPES.map((each) => `\`${each}\``).sort(),
    );
    expect(rows.filter(({ Opens }) => !Opens)).toEqual([]);
  });

  it('tells the limits that are in force by default', () => {
    const listed = Object.fromEntries(
      table('Limits').map((row) => [row.Group, Number(row['Requests a minute'])]),
    );
    expect(listed).toEqual({
      search: VARIABLES.limitSearch.fallback,
      write: VARIABLES.limitWrite.fallback,
      reporting: VARIABLES.limitReporting.fallback,
      reads: VARIABLES.limitReads.fallback,
    });
  });
});
