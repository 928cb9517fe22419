import { expect, it } from '@jest/globals';
import { letterFormat } from '../../../shared/messaging/mail/letter-format.ts';
import { renewalRefundedMail } from '../../../shared/sales/renewals/renewal.mails.ts';

const context = {
  brand: 'Larkspur',
  format: letterFormat('en-US'),
  config: { baseUrl: 'https://market.example' },
  tokens: {} as never,
};
const RENEWAL = {
  renewalId: 'rnw_01m7yg4ev0e89rzq0ngjrt467r',
  domain: 'oakdeck.com',
  kind: 'renewal',
  amount: { amount: 1_650, currency: 'USD' },
} as const;

it.each([
  ['refused', 'oakdeck.com was not renewed', 'The registry did not renew the domain.'],
  ['review', 'oakdeck.com was not renewed', 'so we did not renew the domain.'],
  ['given_up', 'oakdeck.com was not renewed', 'We could not renew the domain.'],
  ['restored', 'oakdeck.com was not renewed', 'restored the domain, but did not renew it.'],
  // The registry may have renewed these, or another payment has.
  ['late_review', 'oakdeck.com is no longer paid for', 'The payment was refused in its review.'],
  ['late', 'Your payment for oakdeck.com arrived too late', 'did not renew the domain with it.'],
  ['lost', 'oakdeck.com is no longer yours', 'no longer yours, so you don’t pay to renew it.'],
] as const)('a refund (%s) says what became of the domain', async (why, subject, reason) => {
  const letter = await renewalRefundedMail.write({ ...RENEWAL, why, refusal: null }, context);
  expect(letter.subject).toBe(`${subject}, and you get your money back`);
  expect(JSON.stringify(letter.blocks)).toContain(reason);
});
