import { Type } from 'typebox';
import { createCredential } from '../../../shared/partners/create-credential.ts';
import { SCOPES } from '../../../shared/partners/credential.ts';
import { readCredentials } from '../../../shared/partners/read-credentials.ts';
import { revokeCredential } from '../../../shared/partners/revoke-credential.ts';
import {
  DEFAULT_OVERLAP_HOURS,
  rotateCredential,
} from '../../../shared/partners/rotate-credential.ts';
import { opsAction } from '../action.ts';
import { EnvironmentField } from './fields.ts';

const KeyId = Type.String({ description: 'Public key id (pk_...).' });

export const credentialCreate = opsAction({
  name: 'credential:create',
  summary: 'Issue a key pair; its secret is shown this once',
  input: Type.Object({
    partner: Type.String({ description: 'Partner id (ptr_...).' }),
    environment: EnvironmentField,
    scopes: Type.Array(Type.Enum([...SCOPES]), {
      minItems: 1,
      description: `What it may do: some of ${SCOPES.join(', ')}.`,
    }),
  }),
  async run(context, { partner, environment, scopes }) {
    const input = { partnerId: partner, environment, scopes };
    const issued = await createCredential(context, context.actor, input);
    return {
      key_id: issued.keyId,
      secret: issued.secret,
      environment: issued.environment,
      scopes: issued.scopes,
    };
  },
});

export const credentialRotate = opsAction({
  name: 'credential:rotate',
  summary: 'Issue a successor of a key pair; the old pair stays good for the overlap',
  input: Type.Object({
    key_id: KeyId,
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24 * 90,
        description: `Hours for which the old pair stays good; ${DEFAULT_OVERLAP_HOURS} when left out.`,
      }),
    ),
  }),
  redis: 'announces',
  async run(context, { key_id, overlap_hours }) {
    const input = { keyId: key_id, overlapHours: overlap_hours };
    const rotation = await rotateCredential(context, context.actor, input);
    return {
      key_id: rotation.keyId,
      secret: rotation.secret,
      environment: rotation.environment,
      scopes: rotation.scopes,
      previous: { key_id: rotation.previous.keyId, expires_at: rotation.previous.expiresAt },
    };
  },
});

export const credentialRevoke = opsAction({
  name: 'credential:revoke',
  summary: 'End a key pair at once and for good',
  input: Type.Object({ key_id: KeyId }),
  redis: 'announces',
  async run(context, { key_id }) {
    const revoked = await revokeCredential(context, context.actor, key_id);
    return { key_id: revoked.keyId, status: revoked.status, revoked_at: revoked.revokedAt };
  },
});

export const credentialList = opsAction({
  name: 'credential:list',
  summary: 'List the key pairs of a partner, without their secrets',
  columns: ['key_id', 'environment', 'status'],
  input: Type.Object({ partner: Type.String({ description: 'Partner id (ptr_...).' }) }),
  async run(context, { partner }) {
    const credentials = await readCredentials(context, partner);
    return {
      credentials: credentials.map((credential) => ({
        key_id: credential.keyId,
        environment: credential.environment,
        scopes: credential.scopes,
        status: credential.status,
        created_at: credential.createdAt,
        expires_at: credential.expiresAt,
        revoked_at: credential.revokedAt,
      })),
    };
  },
});
