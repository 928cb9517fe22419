import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readPartner } from '../../people/partners/read-partners.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type FieldError, invalid } from '../../platform/errors.ts';
import { isBankText, MAX_BANK_NAME } from './bank-file.ts';
import { announceChange, bankDestination, type Destination, usableFrom } from './destination.ts';
import {
  lockAccounts,
  selectAccountForUpdate,
  selectAccounts,
  selectSealedAccounts,
  updateAccountsSealed,
  upsertAccount,
} from './payout-account.store.ts';
import { screenPayee } from './screen-payee.ts';

type Scope = { db: Database; secrets: SecretBox };

/** A partner's bank account. */
export interface PayoutAccount {
  holder: string;
  /** ISO 13616, without spaces. */
  iban: string;
  /** ISO 9362; null if the bank derives it from the IBAN. */
  bic: string | null;
}

/** The public view of an account, with the last four characters of the number. */
export interface PayoutAccountSummary {
  holder: string;
  ibanEnd: string;
  bic: string | null;
}

/**
 * Sets a partner's bank account, screens its names against the sanctions lists and notifies the partner. Voids payout
 * approvals. An account other than the partner's first can be paid after a day and, if that takes two people, once
 * somebody else has approved it. Existing bank files stay unchanged. Setting the same account again changes nothing.
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
  const context = contextOf(partnerId);
  const iban = secrets.seal(account.iban, context);
  await db.transact(async (uow) => {
    await lockAccounts.send(uow.pipeline, { partnerId });
    const before = await selectAccountForUpdate.first(uow.sql, { partnerId });
    if (before && before.holder === holder && before.bic === bic) {
      if (secrets.open(before.iban, context) === account.iban) return;
    }
    const { realNow: now } = uow;
    const from = await usableFrom(uow, partnerId);
    const set = { partnerId, holder, iban, ibanEnd, bic, setBy: actor, usableFrom: from, now };
    await upsertAccount.send(uow.pipeline, set);
    const approvalsEnded = await announceChange(uow, partnerId, 'bank');
    await screenPayee(uow, partnerId);
    await recordAudit(uow, {
      actor,
      action: 'partner:set-payout-account',
      subject: partnerId,
      ...(before && {
        before: { holder: before.holder, ibanEnd: before.ibanEnd, bic: before.bic },
      }),
      after: { holder, ibanEnd, bic, approvalsEnded },
    });
  });
  return { holder, ibanEnd, bic };
}

/** Returns the decrypted accounts of these partners with their destinations, by partner; omits those without one. */
export async function openPayoutAccounts(
  sql: Sql,
  secrets: SecretBox,
  partnerIds: readonly string[],
): Promise<Map<string, PayoutAccount & { destination: Destination }>> {
  const rows = await selectAccounts.all(sql, { partnerIds });
  return new Map(
    rows.map(({ partnerId, iban, ...row }) => [
      partnerId,
      {
        holder: row.holder,
        iban: secrets.open(iban, contextOf(partnerId)),
        bic: row.bic,
        destination: bankDestination(row),
      },
    ]),
  );
}

/** Re-encrypts account numbers, sealed under a previous SECRETS_KEY, with the current one. */
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
