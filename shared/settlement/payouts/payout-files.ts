import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { areTwoPeople } from '../../people/audit/second-person.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Resealed, resealColumn, type SecretBox } from '../../platform/crypto/secrets.ts';
import { INVALID_CURRENCY, isCurrency } from '../../platform/currencies.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { conflict, fail, invalid, ServiceError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { Money } from '../../platform/money.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { isApprovedFor } from './approve-payout.ts';
import { type BankPayment, bankFileXml } from './bank-file.ts';
import { parseBankReference } from './bank-reference.ts';
import { refusalOfDestination } from './destination.ts';
import { lockPayable, selectApprovers, selectOfFile, updateFile } from './payout.store.ts';
import { needsApproval, type PayoutStatus, takesTwoPeople } from './payout.ts';
import { openPayoutAccounts } from './payout-account.ts';
import * as store from './payout-file.store.ts';
import { markPayoutPaid } from './payout-outcome.ts';

type Scope = { db: Database; clock: Clock; config: Config; secrets: SecretBox };

/** A file that instructs our bank to send payouts. */
export interface PayoutFile {
  id: string;
  /** The number of payouts in the file. */
  payouts: number;
  total: Money;
  createdBy: string;
  createdAt: Date;
}

/** A payout of a file and its recorded outcome. */
export interface FilePayout {
  id: string;
  status: PayoutStatus;
  /** The bank's reference of the payment. */
  reference: string | null;
}

/** The maximum number of payouts per file. */
const MOST = 1_000;

/**
 * Creates a bank file of a currency's pending LIVE payouts, oldest first. Includes payouts to a bank account that can
 * be paid now, if they are not held and any approval they need, for exactly this account, was given by somebody
 * other than `actor`. Each payout is in one file only.
 * @throws validation_error, conflict (`invalid_state`: our own account is not configured, or there is nothing to pay)
 */
export async function makePayoutFile(
  { db, config, secrets }: Scope,
  actor: string,
  currency: string,
): Promise<PayoutFile> {
  if (!isCurrency(currency)) throw invalid([{ path: '/currency', message: INVALID_CURRENCY }]);
  const { sellerName, payoutIban, payoutBic } = config;
  if (!payoutIban) {
    throw conflict(
      'invalid_state',
      'Set PAYOUT_IBAN, the account that payouts are sent from, first.',
    );
  }
  return db.transact(async (uow) => {
    const { now } = uow;
    const payments = await choosePayments({ config, secrets }, uow, { actor, currency });
    if (payments.length === 0) {
      throw conflict(
        'invalid_state',
        `No payout in ${currency} can be paid by a file: each needs a partner with a bank account that was not changed within a day, and an approval for that account where it is large.`,
      );
    }
    const id = newId('payoutFile', now);
    const total = payments.reduce((sum, { amount }) => sum.plus(amount), new Money(0, currency));
    const content = bankFileXml({
      reference: bankReference(id),
      createdAt: now,
      from: { holder: sellerName, iban: payoutIban, bic: payoutBic || null },
      payments,
    });
    const file = { id, payouts: payments.length, total, createdBy: actor, createdAt: now };
    await store.insertFile.run(uow.sql, {
      id,
      currency,
      payouts: file.payouts,
      amountCents: total.amount,
      content: secrets.seal(content, contextOf(id)),
      createdBy: actor,
      createdAt: now,
    });
    const payoutIds = payments.map((payment) => payment.id);
    await updateFile.send(uow.pipeline, { fileId: id, ids: payoutIds });
    await recordAudit(uow, {
      actor,
      action: 'payout:make-file',
      subject: id,
      after: { payouts: file.payouts, amountCents: total.amount, currency },
    });
    return file;
  });
}

/** Chooses the payments of a file and locks their payouts. */
async function choosePayments(
  { config, secrets }: Pick<Scope, 'config' | 'secrets'>,
  uow: UnitOfWork,
  { actor, currency }: { actor: string; currency: string },
): Promise<(BankPayment & { id: string })[]> {
  const approvalOver = takesTwoPeople(config) ? config.payoutApprovalOverCents : null;
  const approvers = await readOthers(uow, actor, currency);
  const which = { currency, approvalOver, approvers, now: uow.realNow, limit: MOST };
  const payable = await lockPayable(uow.sql, which);
  const partnerIds = [...new Set(payable.map(({ partnerId }) => partnerId))];
  // Read once, so that the file has exactly the accounts checked here, whatever changes meanwhile.
  const accounts = await openPayoutAccounts(uow.sql, secrets, partnerIds);
  return payable.flatMap((payout) => {
    const { id, amount, partnerId } = payout;
    const to = accounts.get(partnerId);
    if (!to || refusalOfDestination(config, to.destination, uow.realNow)) return [];
    if (needsApproval(config, payout) && !isApprovedFor(payout, [to.destination])) return [];
    return [{ id, reference: bankReference(id), amount, to }];
  });
}

/** Returns the approvers of a currency's payouts that are in no file yet, other than `actor`. */
async function readOthers(uow: UnitOfWork, actor: string, currency: string): Promise<string[]> {
  const others: string[] = [];
  for (const { approvedBy } of await selectApprovers.all(uow.sql, { currency })) {
    if (await areTwoPeople(uow, approvedBy, actor)) others.push(approvedBy);
  }
  return others;
}

/** Returns a file's bytes, always the same; records each download in the audit trail. @throws not_found */
export async function downloadPayoutFile(
  { db, secrets }: Pick<Scope, 'db' | 'secrets'>,
  actor: string,
  id: string,
): Promise<{ name: string; content: string }> {
  const found = await store.selectFile.first(db.knex, { id });
  if (!found) throw noSuchFile();
  const entry = { actor, action: 'payout:download-file', subject: id, after: {} };
  await db.transact((uow) => recordAudit(uow, entry));
  return { name: `${id}.xml`, content: secrets.open(found.content, contextOf(id)) };
}

/**
 * Records that a file's pending payouts have left the bank, under the reference of its order. A repeated call continues
 * where the last one stopped. Payouts with another recorded outcome stay unchanged.
 * @throws validation_error, not_found
 */
export async function markPayoutFilePaid(
  scope: Pick<Scope, 'db' | 'clock' | 'config'>,
  actor: string,
  input: { fileId: string; reference: string },
): Promise<{ paid: number; others: FilePayout[] }> {
  const reference = parseBankReference(input.reference);
  if (!(await store.selectFile.first(scope.db.knex, { id: input.fileId }))) throw noSuchFile();
  let paid = 0;
  for (const { id, status } of await selectOfFile.all(scope.db.knex, { fileId: input.fileId })) {
    if (status !== 'pending') continue;
    try {
      await markPayoutPaid(scope, actor, { payoutId: id, reference });
      paid += 1;
    } catch (error) {
      // Another process recorded its outcome meanwhile.
      if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
    }
  }
  const after = await selectOfFile.all(scope.db.knex, { fileId: input.fileId });
  const others = after.filter((each) => each.status !== 'paid' || each.reference !== reference);
  return { paid, others };
}

/** Returns a file and the number of its pending payouts. @throws not_found */
export async function getPayoutFile(
  { db }: { db: Database },
  id: string,
): Promise<{ file: PayoutFile; pending: number }> {
  const row = await store.selectFileSummary.first(db.knex, { id });
  if (!row) throw noSuchFile();
  const { amountCents, currency, pending, ...file } = row;
  return { file: { ...file, total: new Money(amountCents, currency) }, pending };
}

/** Returns a page of the files, with the number of each file's pending payouts. */
export function listPayoutFiles(
  { db }: { db: Database },
  page: ListPage,
): Promise<Page<PayoutFile & { pending: number }>> {
  const read = async (limit: number) => {
    const given = idPage('payoutFile', page, limit);
    const rows = await store.selectFiles[page.sort].all(db.knex, given);
    return rows.map(({ amountCents, currency, ...row }) => ({
      ...row,
      total: new Money(amountCents, currency),
    }));
  };
  return readPage(page.limit, read, idOf);
}

/** Re-encrypts files, sealed under a previous SECRETS_KEY, with the current one. */
export function resealPayoutFiles({
  db,
  secrets,
}: Pick<Scope, 'db' | 'secrets'>): Promise<Resealed> {
  return resealColumn<string>(secrets, {
    async read(after = '', limit) {
      const rows = await store.selectSealedFiles.all(db.knex, { after, limit });
      return rows.map(({ id, content }) => ({ id, sealed: content, context: contextOf(id) }));
    },
    replace: (reseals) =>
      store.updateFilesSealed.run(db.knex, {
        ids: reseals.map(({ id }) => id),
        befores: reseals.map(({ before }) => before),
        afters: reseals.map(({ after }) => after),
      }),
  });
}

const contextOf = (id: string) => `payout-file:${id}`;

/** Returns an ID in the characters that banks accept, without the underscore. */
const bankReference = (id: string) => id.replace('_', '-');

function noSuchFile() {
  return fail('not_found', { message: 'No payout file has this ID.' });
}
