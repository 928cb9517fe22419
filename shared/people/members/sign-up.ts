import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, invalid } from '../../platform/errors.ts';
import { requireOneLine } from '../../platform/one-line.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { type IssuedKeyPair, SCOPES } from '../partners/credential.ts';
import { issueCredential } from '../partners/credential-lifecycle.ts';
import { openPartner } from '../partners/partner-lifecycle.ts';
import {
  type AccountLink,
  consumeLink,
  createLink,
  deadLink,
  readLink,
} from '../users/account-link.ts';
import { hashNewPassword } from '../users/password.ts';
import { verifyEmailMail } from '../users/user.mails.ts';
import { canonicalEmail } from '../users/user.ts';
import { findUser, lockActiveAccount, openAccount } from '../users/user-account.ts';
import { upsertMember } from './member.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  tokens: SignedTokens;
  secrets: SecretBox;
}

const MAX_NAME = 100;

/**
 * Mails a link to open a partner account. The caller does not learn whether the address already has an account or got
 * too many links within an hour. @throws validation_error, conflict (mail is off)
 */
export async function requestSignUp(
  { db, config }: Deps,
  input: { company: string; email: string },
): Promise<void> {
  const email = canonicalEmail(input.email);
  requireOneLine('/company', input.company);
  const partnerName = input.company.trim();
  if (partnerName === '' || partnerName.length > MAX_NAME) {
    throw invalid([{ path: '/company', message: `must have 1 to ${MAX_NAME} characters` }]);
  }
  if (!config.mail) throw conflict('invalid_state', 'Nobody can sign up while mail is off.');
  await db.transact(async (uow) => {
    const link = await createLink(uow, { kind: 'verify-email', email, partnerName });
    if (!link) return;
    const expiresAt = link.expiresAt.toISOString();
    const data = { requestId: link.id, path: '/account/verify', expiresAt };
    uow.mails.add(verifyEmailMail, { to: { email }, of: null, data });
  });
}

/** Returns the sign-up of a link. @throws not_found */
export async function readSignUp(
  deps: Deps,
  token: string,
): Promise<{ email: string; company: string; known: boolean }> {
  const { email, partnerName } = await readPartnersLink(deps, token);
  const known = (await findUser(deps, email)) !== undefined;
  return { email, company: partnerName, known };
}

/**
 * Opens the partner of a sign-up, with the person as its admin and a SANDBOX key pair, whose secret can be read only
 * now. LIVE keys need staff approval. A person without an account gets one with this password.
 * @throws not_found (the link), validation_error (the password), forbidden (the account is disabled)
 */
export async function completeSignUp(
  deps: Deps,
  { token, password }: { token: string; password: string | null },
): Promise<IssuedKeyPair> {
  const link = await readPartnersLink(deps, token);
  const { email } = link;
  const known = await findUser(deps, email);
  const passwordHash = known ? null : await hashNewPassword(password ?? '');
  return deps.db.transact(async (uow) => {
    const user = passwordHash
      ? await openAccount(uow, { email, passwordHash })
      : await lockActiveAccount(uow, email);
    await consumeLink(uow, link);
    const { id: actor } = user;
    const { partnerName: name } = link;
    const partner = await openPartner(uow, actor, { name, approved: false });
    const membership = { partnerId: partner.id, userId: actor, role: 'admin' as const };
    await upsertMember.send(uow.pipeline, { ...membership, now: uow.now });
    const after = { userId: actor, role: membership.role };
    await recordAudit(uow, { actor, action: 'member:join', subject: partner.id, after });
    const key = { partnerId: partner.id, environment: 'SANDBOX' as const, scopes: SCOPES };
    return issueCredential(uow, deps, actor, key);
  });
}

/** Reads the link of a partner sign-up. A link of the same kind without a partner only opens an account. */
async function readPartnersLink(
  deps: Deps,
  token: string,
): Promise<AccountLink & { partnerName: string }> {
  const { partnerName, ...link } = await readLink(deps, 'verify-email', token);
  if (partnerName === null) throw deadLink();
  return { ...link, partnerName };
}
