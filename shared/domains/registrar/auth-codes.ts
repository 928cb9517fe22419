import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import {
  selectAuthCode,
  selectAuthCodes,
  updateAuthCodesSealed,
  upsertAuthCode,
} from './epp-registrar.store.ts';

type Scope = { db: Database; secrets: SecretBox };

/** Keeps the authorization code by which a domain (A-labels) can be transferred to us. */
export async function setAuthCode(
  uow: UnitOfWork,
  secrets: SecretBox,
  { domain, authInfo }: { domain: string; authInfo: string },
): Promise<void> {
  const sealed = secrets.seal(authInfo, contextOf(domain));
  await upsertAuthCode.run(uow.sql, { domain, sealed, now: uow.now });
}

/** The authorization code of a domain (A-labels), and since when; undefined when nobody told it. */
export async function authCodeOf(
  { db, secrets }: Scope,
  domain: string,
): Promise<{ authInfo: string; updatedAt: Date } | undefined> {
  const code = await selectAuthCode.first(db.knex, { domain });
  if (!code) return undefined;
  return { authInfo: secrets.open(code.sealed, contextOf(domain)), updatedAt: code.updatedAt };
}

/** Re-encrypts codes of a previous SECRETS_KEY with the current one. */
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

const contextOf = (domain: string) => `auth-code:${domain}`;
