import type { DocumentContent, DocumentLine } from '../../messaging/documents/document.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { marketplaceParty, partnerParty, partnerTax, taxIn } from '../../money/tax/tax.ts';
import { type PartnerTaxProfile, readTaxProfile } from '../../people/partners/tax-profile.ts';
import { addMs, formatDay } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { formatMoney, Money } from '../../platform/money.ts';
import type { PaymentModel } from '../../sales/orders/order.ts';
import type { Commission } from './statement.store.ts';
import type { Statement, StatementLine, StatementOwner } from './statement.ts';
import { readStatement } from './statement-read.store.ts';

/** The maximum number of lines in a statement document; its CSV has all of them. */
const MAX_LINES = 500;

/**
 * Issues the documents of a statement that was just closed: the statement itself, and the credit note with which we
 * self-bill the partner's commissions, unless they sum to zero. Returns their IDs.
 */
export async function issueStatementDocuments(
  uow: UnitOfWork,
  config: Config,
  owner: StatementOwner & { id: string },
  commissions: readonly Commission[],
): Promise<string[]> {
  const page = { after: null, limit: MAX_LINES };
  const read = await readStatement(uow.sql, owner, owner.id, page);
  if (!read) throw new Error(`there is no statement ${owner.id}`);
  const { statement, lines } = read;
  const profile = await readTaxProfile(uow.sql, owner.partnerId);
  const { partnerId, environment, id: subject } = owner;
  const of = { environment, partnerId, subject };
  const lineCount = commissions.reduce((sum, { lines }) => sum + lines, 0);
  const issued = uow.documents.add({
    ...of,
    kind: 'statement',
    content: statementContent(config, profile, statement, lines, lineCount),
  });
  const total = commissions.reduce((sum, { amount }) => sum + amount.amount, 0);
  if (total === 0) return [issued];
  const selfBilling = uow.documents.add({
    ...of,
    kind: 'self_billing',
    content: selfBillingContent(config, profile, statement, commissions),
  });
  return [issued, selfBilling];
}

function statementContent(
  config: Config,
  profile: PartnerTaxProfile,
  statement: Statement,
  lines: readonly StatementLine[],
  lineCount: number,
): DocumentContent {
  const { currency, grossSoldCents, commissionRetainedCents, adjustmentsCents } = statement;
  const owed = statement.amountOwedCents;
  const collectedByUs = owed - grossSoldCents + commissionRetainedCents - adjustmentsCents;
  const subtotals = [
    { label: 'Sold', amountCents: grossSoldCents },
    { label: 'Collected by us', amountCents: collectedByUs },
    { label: 'Commission you keep', amountCents: 0 - commissionRetainedCents },
    { label: 'Clawbacks', amountCents: adjustmentsCents },
  ];
  return {
    from: marketplaceParty(config),
    to: partnerParty(profile),
    currency,
    facts: [
      ...statementFacts(statement),
      ...(statement.dueAt && owed !== 0
        ? [{ name: 'Due on', value: formatDay(statement.dueAt) }]
        : []),
    ],
    lines: lines.map((line) => statementLine(line, currency)),
    linesLeftOut: lineCount - lines.length,
    subtotals,
    totalLabel: owed < 0 ? 'You owe (minus: in your favor)' : 'You owe',
    totalCents: owed,
    tax: null,
    notes: ['Commissions for sales that we collected are paid out separately.'],
  };
}

function statementFacts(statement: Statement): DocumentContent['facts'] {
  // The end of a period is exclusive.
  const lastDay = addMs(statement.periodEnd, -1);
  return [
    { name: 'Statement', value: statement.id },
    {
      name: 'Period',
      value: `${formatDay(statement.periodStart)} to ${formatDay(lastDay)}`,
    },
  ];
}

function statementLine(line: StatementLine, currency: string): DocumentLine {
  const price = formatMoney(new Money(line.salePriceCents, currency));
  const commission = formatMoney(new Money(line.commissionCents, currency));
  const what = line.kind === 'sale' ? 'Delivered' : 'Clawed back';
  const collected = line.paymentModel === 'merchant_of_record' ? '' : ', collected by us';
  return {
    text: line.domain,
    detail: `${what} ${formatDay(line.occurredAt)}${collected}: price ${price}, commission ${commission}`,
    amountCents: line.amountOwedCents,
  };
}

const COMMISSION_ON: Readonly<Record<PaymentModel, string>> = {
  merchant_of_record: 'Commission on sales that you collected',
  hosted_checkout: 'Commission on hosted checkout sales',
  brokerage: 'Commission on brokered sales',
};

/** Writes the self-billing document, in which the partner is the seller: we buy its commission. */
function selfBillingContent(
  config: Config,
  profile: PartnerTaxProfile,
  statement: Statement,
  commissions: readonly Commission[],
): DocumentContent {
  const { currency } = statement;
  const from = partnerParty(profile);
  const to = marketplaceParty(config);
  const totalCents = commissions.reduce((sum, { amount }) => sum + amount.amount, 0);
  return {
    from,
    to,
    currency,
    facts: statementFacts(statement),
    lines: commissions
      .filter(({ amount }) => amount.amount !== 0)
      .map(({ model, amount }) => ({
        text: COMMISSION_ON[model],
        detail: null,
        amountCents: amount.amount,
      })),
    linesLeftOut: 0,
    subtotals: [],
    totalLabel: 'Total',
    totalCents,
    tax: taxIn(partnerTax(config, profile), to, new Money(totalCents, currency)),
    notes: ['Issued by the recipient of the service on behalf of the supplier (self-billing).'],
  };
}
