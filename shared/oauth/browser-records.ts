import { type Clock, later, SECOND } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import {
  type BrowserKind,
  type BrowserRow,
  deleteBrowser,
  selectBrowser,
  upsertBrowser,
} from './browser.store.ts';
import { digestOf } from './digest.ts';

export interface BrowserPayload {
  uid?: string | undefined;
  [member: string]: unknown;
}

/** Signed-in browsers, or authorization requests that wait for a person. Payloads are encrypted at rest. */
export interface BrowserRecords {
  save(id: string, payload: BrowserPayload, ttlSeconds: number): Promise<void>;
  find(id: string): Promise<BrowserPayload | undefined>;
  findByUid(uid: string): Promise<BrowserPayload | undefined>;
  remove(id: string): Promise<void>;
}

export function browserRecords(
  { db, clock, secrets }: { db: Database; clock: Clock; secrets: SecretBox },
  kind: BrowserKind,
): BrowserRecords {
  const opened = (row: BrowserRow | undefined): BrowserPayload | undefined =>
    row && JSON.parse(secrets.open(row.payloadSealed, contextOf(row.idHash)));
  return {
    async save(id, payload, ttlSeconds) {
      const idHash = digestOf(id);
      await upsertBrowser(db.knex, {
        idHash,
        kind,
        uid: payload.uid ?? null,
        payloadSealed: secrets.seal(JSON.stringify(payload), contextOf(idHash)),
        expiresAt: later(clock.now(), ttlSeconds * SECOND),
      });
    },
    find: async (id) =>
      opened(await selectBrowser(db.knex, { kind, idHash: digestOf(id) }, clock.now())),
    findByUid: async (uid) => opened(await selectBrowser(db.knex, { kind, uid }, clock.now())),
    remove: (id) => deleteBrowser(db.knex, digestOf(id)),
  };
}

/** What a payload is sealed for. */
export function contextOf(idHash: Buffer): string {
  return `oauth-browser:${idHash.toString('hex')}`;
}
