import { createHmac } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import {
  deriveKey,
  type Resealed,
  resealColumn,
  type SecretBox,
} from '../../platform/crypto/secrets.ts';
import {
  selectAuthCode,
  selectAuthCodes,
  updateAuthCodesSealed,
  upsertAuthCode,
} from './epp-registrar.store.ts';

type Scope = { db: Database; secrets: SecretBox };

/** Stores the authorization code with which a domain (A-labels) can be transferred to us. */
export async function setAuthCode(
  uow: UnitOfWork,
  secrets: SecretBox,
  { domain, authInfo }: { domain: string; authInfo: string },
): Promise<void> {
  const sealed = secrets.seal(authInfo, contextOf(domain));
  await upsertAuthCode.send(uow.pipeline, { domain, sealed, now: uow.now });
}

/** Returns the authorization code of a domain (A-labels) and when it was set; undefined if we have none. */
export async function authCodeOf(
  { db, secrets }: Scope,
  domain: string,
): Promise<{ authInfo: string; updatedAt: Date } | undefined> {
  const code = await selectAuthCode.first(db.knex, { domain });
  if (!code) return undefined;
  return { authInfo: secrets.open(code.sealed, contextOf(domain)), updatedAt: code.updatedAt };
}

/** Re-encrypts codes, sealed under a previous SECRETS_KEY, with the current one. */
export function resealAuthCodes({ db, secrets }: Scope): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await selectAuthCodes.all(db.knex, { after, limit });
      return rows.map(({ domain, sealed }) => ({
        id: domain,
        sealed,
        context: contextOf(domain),
      }));
    },
    replace: (reseals) =>
      updateAuthCodesSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

/** The response to a repeated request for a code that is no longer set. */
export const CODE_IS_VOID = {
  status: 'refused',
  reason: 'This code was replaced, used or revoked. Request a new one.',
} as const;

/**
 * Derives an authorization code of 144 bits for one purpose, which cannot be guessed without SECRETS_KEY. The same
 * purpose always gives the same code, so it need not be stored (RFC 9154, section 4.3).
 */
export function makeAuthCode(secretsKey: Buffer, purpose: string): string {
  const key = deriveKey(secretsKey, 'auth-info');
  // Registries require letters of both cases, a digit and a special character.
  return `${createHmac('sha256', key).update(purpose).digest('base64url').slice(0, 24)}aA1!`;
}

const contextOf = (domain: string) => `auth-code:${domain}`;
