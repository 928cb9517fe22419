import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { sell } from '../../support/sales.ts';
import { startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp({ RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

it('an admin can choose the delivery of LIVE sales, and other members can see it', async () => {
  const partner = await app.partner({ environment: 'LIVE' });
  const { browser: admin } = await givenMember(app, 'admin', partner.partnerId);
  const { browser: member } = await givenMember(app, 'developer', partner.partnerId);
  const path = `/partner/${partner.partnerId}/live/delivery`;
  const saved = await admin.submit(await admin.open(path), 'Save', {
    method: 'partner_registrar',
  });
  expect(readable(saved.text)).toContain('The delivery setting is saved.');
  const seen = await member.open(path);
  expect(readable(seen.text)).toContain('You fetch it to your registrar');
  expect(seen.text).not.toContain('>Save</button>');

  const listing = await givenListing(app.runtime, { environment: 'LIVE' });
  const more = { registrant: undefined };
  const sold = await sell(partner.client, listing, { more }).expect(201);
  const { body } = await partner.client.get(`/v1/orders/${sold.body.public_id}`).expect(200);
  expect(body.delivery.method).toBe('partner_registrar');
  const wrong = await admin.submit(await admin.open(path), 'Save', { method: 'by_mail' });
  expect(wrong.status).toBe(400);
});
