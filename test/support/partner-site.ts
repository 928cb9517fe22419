import type { MemberRole } from '../../shared/people/members/member.ts';
import { givenAccount, PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';
import { type ConsoleMarket, filledPath } from './console-market.ts';
import { newVisitor, type Visitor } from './sign-in.ts';

/** Creates a member of a partner who is signed in with a browser without scripts. */
export async function givenMember(
  app: TestApp,
  role: MemberRole,
  partnerId: string,
): Promise<{ id: string; email: string; browser: Visitor }> {
  const { id, email } = await givenAccount(app.runtime, 'owner');
  const row = { partner_id: partnerId, user_id: id, role, created_at: new Date() };
  await app.runtime.db.knex('partner_members').insert(row);
  const browser = newVisitor(app.url);
  const page = await browser.open('/account/sign-in');
  await browser.submit(page, 'Sign in', { email, password: PASSWORD });
  return { id, email, browser };
}

/** Fills in a path below partner and environment with objects of the market's partner. */
export function sitePath(market: ConsoleMarket, path: string): string {
  const filled = path
    .replace('/orders/:order', `/orders/${market.delivered}`)
    .replace(/\/payouts\/:\w+/, `/payouts/${market.payoutId}`)
    .replace(/\/settlements\/:\w+/, `/settlements/${market.settlementId}`);
  return filledPath(market, filled);
}
