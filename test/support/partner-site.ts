import type { MemberRole } from '../../shared/people/members/member.ts';
import { givenAccount, PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';
import { newVisitor, type Visitor } from './sign-in.ts';

/** A member of a partner at a browser without scripts, signed in. */
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
