import { Secret, TOTP } from 'otpauth';
import { confirmOwnAuthenticator } from '../../shared/people/user-accounts/second-factor-change.ts';
import { type ProvenSession, proveSession } from '../../shared/people/users/factor-change.ts';
import { beginAuthenticator } from '../../shared/people/users/own-authenticator.ts';
import { findSession, signIn } from '../../shared/people/users/user-session.ts';
import { newId } from '../../shared/platform/ids.ts';
import { PASSWORD } from './accounts.ts';
import type { Runtime } from './runtime.ts';

type Asked = Pick<Runtime, 'db' | 'clock' | 'config' | 'secrets' | 'tokens'>;
const FROM = { address: null, userAgent: null };

/** Opens a session of an account without a second factor, whose holder re-entered the password. */
export async function givenProvenSession(
  runtime: Asked,
  { email }: { email: string },
): Promise<ProvenSession> {
  const { token } = await signIn(runtime, { email, password: PASSWORD });
  const user = await findSession(runtime, token);
  if (!user) throw new Error('the session is not open');
  return proveSession(runtime, { user, token }, { password: PASSWORD, from: FROM });
}

/** Returns the code that an app with this secret shows now. */
export const codeOf = ({ clock }: Pick<Runtime, 'clock'>, secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });

/** Gives an account an authenticator app whose first code is used. */
export async function givenAuthenticator(
  runtime: Asked,
  user: { email: string },
): Promise<{ secret: string; recovery: readonly string[] }> {
  const session = await givenProvenSession(runtime, user);
  const { secret } = await beginAuthenticator(runtime, session);
  const recovery = await confirmOwnAuthenticator(runtime, session, codeOf(runtime, secret));
  return { secret, recovery };
}

/** Gives an account a passkey that no device has, bypassing all checks, as if it had been added elsewhere. */
export async function givenPasskeyRow(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  userId: string,
): Promise<string> {
  const id = newId('user', clock.now());
  await db.knex('user_passkeys').insert({
    id,
    user_id: userId,
    name: 'Elsewhere',
    public_key: Buffer.from([1]),
    counter: 0,
    transports: [],
    created_at: clock.now(),
  });
  return id;
}
