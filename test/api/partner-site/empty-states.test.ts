import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sitePages } from '../../../api/pages/partner/site-router.ts';
import { partnerRoutes } from '../../../api/partner/partner-router.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { givenPartner } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;
let base: string;
let admin: Visitor;
beforeAll(async () => {
  app = await startSignInApp({ RATE_LIMITS: 'off' });
  const { partnerId } = await givenPartner(app.runtime, { affiliate: true });
  base = `/partner/${partnerId}`;
  ({ browser: admin } = await givenMember(app, 'admin', partnerId));
});
afterAll(() => app?.stop());

it('empty pages on the partner site name existing API paths and link to existing pages', async () => {
  const routes = partnerRoutes.map(({ method, path }) => `${method} ${path}`);
  const pages = sitePages.map(({ path }) => path).filter((path) => !path.includes(':'));
  const links = new Set<string>();
  const named = new Set<string>();
  for (const path of [...pages.map((each) => `${base}/sandbox${each}`), `${base}/keys`]) {
    const { status, text } = await admin.open(path);
    expect([path, status]).toEqual([path, 200]);
    for (const [, href = ''] of text.matchAll(/ href="(\/[^"#]*)"/g)) links.add(href);
    for (const [call] of readable(text).matchAll(/\b(GET|POST|PUT|PATCH|DELETE) \/[\w/{}-]+/g))
      named.add(call);
  }
  expect(named.size).toBeGreaterThan(3);
  expect([...named].filter((call) => !routes.includes(call))).toEqual([]);
  for (const href of links) {
    const { status } = await admin.open(href.replaceAll('&amp;', '&'));
    expect([href, status]).toEqual([href, 200]);
  }
});
