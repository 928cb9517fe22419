import type { Sql } from '../platform/db.ts';

/** A credential with its partner's standing, or undefined. */
export async function findCredentialRow(sql: Sql, keyId: string) {
  const { rows } = await sql.raw(
    `select c.key_id as "keyId", c.partner_id as "partnerId", c.environment, c.scopes,
       c.secret_ciphertext as "secretCiphertext", c.status, c.expires_at as "expiresAt",
       p.status as "partnerStatus", p.commission_bps as "commissionBps"
     from credentials c join partners p on p.id = c.partner_id
     where c.key_id = :keyId`,
    { keyId },
  );
  return rows[0];
}
