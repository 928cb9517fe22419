import { describe, expect, it } from '@jest/globals';
import { DEPRECATIONS } from '../../api/http/deprecation.ts';
import { partnerDocument } from '../../api/openapi/partner-document.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import type { ApiDocument } from '../../sdk/generator/document.ts';
import { generate } from '../../sdk/generator/generate.ts';
import { methodName } from '../../sdk/generator/method-name.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { VERSION } from '../../sdk/src/version.ts';
import { readProjectFile } from '../support/sources.ts';

const document = JSON.parse(
  JSON.stringify(
    partnerDocument({ baseUrl: 'https://market.example', deprecations: DEPRECATIONS }),
  ),
) as ApiDocument;

describe('sdk/', () => {
  it.each(Object.entries(generate(document)))(
    '%s is up to date (run `npm run sdk:generate`)',
    (file, text) => {
      expect(readProjectFile(`sdk/${file}`)).toBe(text);
    },
  );

  it('has a method for every partner API route', () => {
    const rows = partnerRoutes.map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    const methods = Object.values(OPERATIONS)
      .flatMap((verbs) => Object.values(verbs))
      .map(({ method, path }) => `${method} ${path}`);
    expect(methods.sort()).toEqual(rows.sort());
  });

  it.each([
    ['createOrder', 'orders', 'create'],
    ['searchDomains', 'domains', 'search'],
    ['getAvailability', 'availability', 'get'],
    ['resendDelivery', 'deliveries', 'resend'],
    ['listReferralPayouts', 'referralPayouts', 'list'],
    ['sendTest', 'webhookEndpoints', 'test'],
    ['getEndpoint', 'webhookEndpoints', 'get'],
    ['createSession', 'checkoutSessions', 'create'],
  ])('names the method for %s by the rule: %s.%s', (operationId, resource, verb) => {
    expect(methodName(operationId)).toEqual({ resource, verb });
  });

  it('has no dependencies except Node and is marked private', () => {
    const manifest = JSON.parse(readProjectFile('sdk/package.json'));
    expect(manifest).toMatchObject({
      version: VERSION,
      private: true,
      engines: { node: '>=18.3' },
    });
    const kinds = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
    expect(kinds).toEqual([]);
  });
});
