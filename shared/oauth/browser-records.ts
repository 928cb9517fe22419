import { findActiveUser } from '../owners/find-user.ts';
import { addMs, type Clock, SECOND } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import {
  type BrowserKind,
  type BrowserRow,
  deleteBrowser,
  selectBrowser,
  upsertBrowser,
} from './browser.store.ts';
import { tokenDigest } from './digest.ts';

/** Who signed in, and the version of the sessions of that user, which is kept as `acr`. */
interface SignedIn {
  accountId?: string | undefined;
  acr?: string | undefined;
}

export interface BrowserPayload extends SignedIn {
  uid?: string | undefined;
  /** Of a request that waits for a person: who is signed in at its browser. */
  session?: SignedIn | undefined;
  /** And what the person did last. */
  result?: { login?: SignedIn } | undefined;
  [member: string]: unknown;
}

/**
 * Signed-in browsers, or authorization requests that wait for a person. Payloads are encrypted at rest. What
 * belongs to a user who is disabled, or whose sessions were ended since, is not found.
 */
export interface BrowserSessionRecords {
  save(id: string, payload: BrowserPayload, ttlSeconds: number): Promise<void>;
  find(id: string): Promise<BrowserPayload | undefined>;
  findByUid(uid: string): Promise<BrowserPayload | undefined>;
  remove(id: string): Promise<void>;
}

export function browserSessionRecords(
  deps: { db: Database; clock: Clock; config: Config; secrets: SecretBox },
  kind: BrowserKind,
): BrowserSessionRecords {
  const { db, clock, secrets } = deps;
  const opened = async (row: BrowserRow | undefined): Promise<BrowserPayload | undefined> => {
    if (!row) return undefined;
    const payload: BrowserPayload = JSON.parse(
      secrets.open(row.payloadSealed, sealContext(row.idHash)),
    );
    const { accountId, acr = '0' } = signedInUser(payload);
    if (accountId === undefined) return payload;
    const user = await findActiveUser(deps, accountId);
    return user && String(user.sessionVersion) === acr ? payload : undefined;
  };
  return {
    async save(id, payload, ttlSeconds) {
      const idHash = tokenDigest(id);
      await upsertBrowser(db.knex, {
        idHash,
        kind,
        uid: payload.uid ?? null,
        payloadSealed: secrets.seal(JSON.stringify(payload), sealContext(idHash)),
        expiresAt: addMs(clock.now(), ttlSeconds * SECOND),
      });
    },
    find: async (id) =>
      opened(await selectBrowser(db.knex, { kind, idHash: tokenDigest(id) }, clock.now())),
    findByUid: async (uid) => opened(await selectBrowser(db.knex, { kind, uid }, clock.now())),
    remove: (id) => deleteBrowser(db.knex, tokenDigest(id)),
  };
}

function signedInUser({ accountId, acr, session, result }: BrowserPayload): SignedIn {
  return result?.login ?? session ?? { accountId, acr };
}

/** What a payload is sealed for. */
export function sealContext(idHash: Buffer): string {
  return `oauth-browser:${idHash.toString('hex')}`;
}
