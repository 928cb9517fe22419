import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import {
  type BrowserPayload,
  browserSessionRecords,
  clientRecords,
  grantRecords,
  type TokenPayload,
  tokenRecords,
} from '../../shared/people/oauth/oauth-records.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import type { SecretBox } from '../../shared/platform/crypto/secrets.ts';
import { isId } from '../../shared/platform/ids.ts';
import { errors } from './oidc-library.ts';

/** Gives the library access to our records; it asks for one adapter per kind of record. */
export function createAdapter(runtime: {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
}): (kind: string) => Adapter {
  return (kind) => {
    switch (kind) {
      case 'AuthorizationCode':
      case 'AccessToken':
      case 'RefreshToken':
        return tokenAdapter(tokenRecords(runtime, kind));
      case 'Session':
      case 'Interaction':
        return browserAdapter(browserSessionRecords(runtime, kind));
      case 'Grant':
        return grantAdapter(grantRecords(runtime));
      case 'Client':
        return clientAdapter(clientRecords(runtime));
      default:
        return unsupported;
    }
  };
}

const unsupported: Adapter = {
  upsert: refuse,
  find: refuse,
  findByUid: refuse,
  findByUserCode: refuse,
  consume: refuse,
  destroy: refuse,
  revokeByGrantId: refuse,
};

/** Rejects operations that a kind of record does not support, and the record kinds of disabled features. */
async function refuse(): Promise<never> {
  throw new Error('the OAuth library asked for what is not kept');
}

function tokenAdapter(tokens: ReturnType<typeof tokenRecords>): Adapter {
  return {
    ...unsupported,
    upsert: (token, payload, ttlSeconds = 0) =>
      tokens.save(token, payload as TokenPayload, ttlSeconds),
    find: (token) => tokens.find(token) as Promise<AdapterPayload | undefined>,
    async consume(token) {
      if (!(await tokens.consume(token))) throw new errors.InvalidGrant('already used');
    },
    destroy: (token) => tokens.remove(token),
    revokeByGrantId: (grantId) => tokens.revokeGrant(grantId),
  };
}

function browserAdapter(browsers: ReturnType<typeof browserSessionRecords>): Adapter {
  return {
    ...unsupported,
    upsert: (id, payload, ttlSeconds = 0) =>
      browsers.save(id, payload as BrowserPayload, ttlSeconds),
    find: (id) => browsers.find(id) as Promise<AdapterPayload | undefined>,
    findByUid: (uid) => browsers.findByUid(uid) as Promise<AdapterPayload | undefined>,
    destroy: (id) => browsers.remove(id),
  };
}

function grantAdapter(grants: ReturnType<typeof grantRecords>): Adapter {
  return {
    ...unsupported,
    upsert: (id, payload) => grants.save(id, payload),
    find: (id) => grants.find(id) as Promise<AdapterPayload | undefined>,
    destroy: (id) => grants.revoke(id),
  };
}

/** Clients are registered by our own endpoint. The id is unchecked caller input. */
function clientAdapter(clients: ReturnType<typeof clientRecords>): Adapter {
  return {
    ...unsupported,
    async find(id) {
      if (!isId('oauthClient', id)) return undefined;
      return clients.find(id) as Promise<AdapterPayload | undefined>;
    },
  };
}
