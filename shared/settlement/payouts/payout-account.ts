import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import type { Database } from '../../delivery/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readPartner } from '../../people/partners/read-partners.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type FieldError, invalid } from '../../platform/errors.ts';
import { isBankText, MAX_BANK_NAME } from './bank-file.ts';
import {
  selectAccounts,
  selectSealedAccounts,
  updateAccountsSealed,
  upsertAccount,
} from './payout-account.store.ts';

type Scope = { db: Database; secrets: SecretBox };

/** Where a partner wants its money. */
export interface PayoutAccount {
  holder: string;
  /** ISO 13616, without spaces. */
  iban: string;
  /** ISO 9362; null where the bank finds it out itself. */
  bic: string | null;
}

/** What people see of an account: the number by its last four characters. */
export interface PayoutAccountSummary {
  holder: string;
  ibanEnd: string;
  bic: string | null;
}

/**
 * Sets where a partner wants its money. Files that were made keep what they say.
 * @throws not_found, validation_error
 */
export async function setPayoutAccount(
  { db, secrets }: Scope,
  actor: string,
  partnerId: string,
  given: PayoutAccount,
): Promise<PayoutAccountSummary> {
  await readPartner({ db }, partnerId);
  const account = checkedAccount(given);
  const ibanEnd = account.iban.slice(-4);
  const { holder, bic } = account;
  const iban = secrets.seal(account.iban, contextOf(partnerId));
  await db.transact(async (uow) => {
    const [before] = await selectAccounts.all(uow.sql, { partnerIds: [partnerId] });
    await upsertAccount.run(uow.sql, { partnerId, holder, iban, ibanEnd, bic, now: uow.now });
    await recordAudit(uow, {
      actor,
      action: 'partner:set-payout-account',
      subject: partnerId,
      ...(before && {
        before: { holder: before.holder, ibanEnd: before.ibanEnd, bic: before.bic },
      }),
      after: { holder, ibanEnd, bic },
    });
  });
  return { holder, ibanEnd, bic };
}

/** What people may see of a partner's account; undefined when it named none. */
export async function readPayoutAccount(
  { db }: { db: Database },
  partnerId: string,
): Promise<PayoutAccountSummary | undefined> {
  const [row] = await selectAccounts.all(db.knex, { partnerIds: [partnerId] });
  return row && { holder: row.holder, ibanEnd: row.ibanEnd, bic: row.bic };
}

/** The accounts of these partners, by partner; without those that named none. */
export async function openPayoutAccounts(
  sql: Sql,
  secrets: SecretBox,
  partnerIds: readonly string[],
): Promise<Map<string, PayoutAccount>> {
  const rows = await selectAccounts.all(sql, { partnerIds });
  return new Map(
    rows.map(({ partnerId, holder, iban, bic }) => [
      partnerId,
      { holder, iban: secrets.open(iban, contextOf(partnerId)), bic },
    ]),
  );
}

/** Seals the numbers that a previous SECRETS_KEY sealed with the present one. */
export function resealPayoutAccounts({ db, secrets }: Scope): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await selectSealedAccounts.all(db.knex, { after, limit });
      return rows.map(({ partnerId, iban }) => ({
        id: partnerId,
        sealed: iban,
        context: contextOf(partnerId),
      }));
    },
    replace: (reseals) =>
      updateAccountsSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

const contextOf = (partnerId: string) => `payout-account:${partnerId}`;

function checkedAccount({ holder, iban, bic }: PayoutAccount): PayoutAccount {
  const account = {
    holder: holder.trim(),
    iban: electronicFormatIBAN(iban) ?? '',
    bic: bic?.trim().toUpperCase() || null,
  };
  const faults: FieldError[] = [];
  if (account.holder === '' || !isBankText(account.holder, MAX_BANK_NAME)) {
    const message = `must have 1 to ${MAX_BANK_NAME} Latin letters, digits, spaces and / - ? : ( ) . , ' +`;
    faults.push({ path: '/holder', message });
  }
  if (!isValidIBAN(account.iban)) {
    faults.push({ path: '/iban', message: 'must be an IBAN; check its digits' });
  }
  if (account.bic !== null && !isValidBIC(account.bic)) {
    faults.push({ path: '/bic', message: 'must be a BIC of 8 or 11 characters' });
  }
  if (faults.length > 0) throw invalid(faults);
  return account;
}
