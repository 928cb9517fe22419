import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import type { PartnerFixture } from '../../support/factories.ts';
import { givenSearchableListing } from '../../support/inventory.ts';
import { installedLanguages, LANGUAGES, type Language, run } from '../../support/samples.ts';
import { readProjectFile } from '../../support/sources.ts';

const FILES: Record<Language, { file: string; args: readonly string[] }> = {
  curl: { file: 'quickstart/curl/quickstart.sh', args: [] },
  typescript: { file: 'quickstart/typescript/quickstart.ts', args: ['--import', 'tsx'] },
  python: { file: 'quickstart/python/quickstart.py', args: [] },
  go: { file: 'quickstart/go/quickstart.go', args: ['run'] },
  php: { file: 'quickstart/php/quickstart.php', args: [] },
};

describe('the samples of the quickstart', () => {
  let app: TestApp;
  let partner: PartnerFixture;
  beforeAll(async () => {
    app = await startTestApp();
    partner = await app.partner();
    app.runtime.clock.set(new Date());
    for (const word of ['forge', 'nest', 'harbor', 'garden', 'works']) {
      await givenSearchableListing(app.runtime, { domain: `coffee${word}.com` });
    }
  });
  afterAll(() => app?.stop());

  // Go builds its program first.
  it.each(installedLanguages())(
    'sells a domain as it stands: %s',
    async (language) => {
      const { file, args } = FILES[language];
      const { code, output, errors } = await run(language, [...args, file], {
        env: { BASE_URL: app.url, KEY_ID: partner.keyId, SECRET: partner.secret },
      });
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      const [, domain = '', orderId = ''] =
        /^search {2}(\S+)\nquote {3}\S+: 485000 cents\norder {3}(\S+)\nstatus {2}EXTERNALLY_PAID\n$/.exec(
          output,
        ) ?? [];
      const { body } = await app.as(partner).get(`/v1/orders/${orderId}`, { expect: 200 });
      expect(domain).toMatch(/^coffee\w+\.com$/);
      expect(body).toMatchObject({ domain, sale_price_cents: 485_000, status: 'EXTERNALLY_PAID' });
    },
    120_000,
  );

  it.each(LANGUAGES)('names everything that a request is signed with: %s', (language) => {
    const text = readProjectFile(`docs/examples/${FILES[language].file}`);
    const names = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map((name) => `X-Service-${name}`);
    expect([...names, 'Idempotency-Key', 'v1='].filter((name) => !text.includes(name))).toEqual([]);
  });
});
