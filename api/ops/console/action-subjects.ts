import { getUnreadMessage } from '../../../shared/domains/registrar/unread-messages.ts';
import { readTaken } from '../../../shared/domains/transfers-out/taken-domains.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import { readLegalHold } from '../../../shared/market/legal-holds/read-legal-holds.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { getRepayment } from '../../../shared/money/payments/repay-buyer.ts';
import {
  readDeliveryForOps,
  readEndpointForOps,
  readReplayForOps,
} from '../../../shared/operations/webhook-overview/webhook-overview.ts';
import { readCredential } from '../../../shared/people/partners/read-credentials.ts';
import { readPartner } from '../../../shared/people/partners/read-partners.ts';
import { getHit } from '../../../shared/people/screening/read-screening.ts';
import {
  readUser,
  type UserSummary,
} from '../../../shared/people/user-accounts/read-user-accounts.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { Money } from '../../../shared/platform/money.ts';
import { getCaseById } from '../../../shared/sales/brokerage/read-cases.ts';
import { getReview } from '../../../shared/sales/checkout/checkout-review.ts';
import { getOfferById } from '../../../shared/sales/offers/read-offers.ts';
import { getOrderDetailById } from '../../../shared/sales/orders/read-orders.ts';
import { getUndoneRenewal } from '../../../shared/sales/renewals/undone-renewals.ts';
import type { TransferStatus } from '../../../shared/sales/transfers/transfer.ts';
import { readDestinations } from '../../../shared/settlement/payouts/destination.ts';
import { getPayoutFile } from '../../../shared/settlement/payouts/payout-files.ts';
import { getPayoutForOps } from '../../../shared/settlement/payouts/read-payouts.ts';
import { getStatementForOps } from '../../../shared/settlement/statements/read-statements.ts';
import { latestOffer } from '../../pages/kit/case-parts.ts';
import { formatInstant, humanize, money, pathWith, timestamp } from '../../pages/kit/format.ts';
import { descriptionList } from '../../pages/kit/page-parts.ts';
import { type PageNow, pageNowOf, realPageNow } from '../../pages/kit/page-time.ts';
import { formatPeriod } from '../../pages/kit/statement-parts.ts';
import { environmentTag, statusBadge } from '../../pages/kit/status-badge.ts';
import { LEGAL_HOLD_NAMES } from '../actions/legal-hold-actions.ts';
import type { OpsContext } from '../ops-action.ts';
import {
  CHECKOUT_REVIEWS_PATH,
  casePath,
  endpointPath,
  LEGAL_HOLDS_PATH,
  mailPath,
  OWNERS_PATH,
  offerPath,
  orderPath,
  PAYOUT_FILES_PATH,
  partnerPath,
  personPath,
  REGISTRY_MESSAGES_PATH,
  RENEWALS_PATH,
  REPAYMENTS_PATH,
  replaysPath,
  SCREENING_PATH,
  settlementPath,
} from './console-paths.ts';

/** The subject of an action, as the confirmation page shows it. */
export interface ActionSubject {
  /** The subject's name in a sentence. */
  name: string;
  facts: Markup | null;
  /** The page to go to if the link to the form did not say. */
  home: string;
  /** The currency of the amounts in the form. Defaults to USD. */
  currency?: string;
}

// The subjects of forms, read when a form is shown. Each function throws not_found.

type Given = Readonly<Record<string, string>>;

/** Returns the subject of actions that have none yet. */
export function noSubject(home: string): () => Promise<ActionSubject> {
  return async () => ({ name: '', facts: null, home });
}

export async function order(
  context: OpsContext,
  { order: id = '' }: Given,
): Promise<ActionSubject> {
  const { order, partnerName, transfer } = await getOrderDetailById(context, id);
  return {
    name: order.domain,
    home: orderPath(order.id),
    facts: descriptionList([
      ['Order', html`<span class="id">${order.id}</span>`],
      ['Environment', environmentTag(order.environment)],
      ['Status', statusBadge(order.status)],
      ['Price', money(order.price)],
      ['Partner', partnerName],
      [
        'Held for',
        order.status === 'MANUAL_REVIEW' ? order.reviewReasons.map(humanize).join(', ') : null,
      ],
      ['Transfer', transfer && statusBadge(transfer.status as TransferStatus)],
      ['Recorded', timestamp(order.createdAt, await pageNowOf(context, order))],
    ]),
  };
}

export async function checkoutReview(
  context: OpsContext,
  { session: id = '' }: Given,
): Promise<ActionSubject> {
  const review = await getReview(context, id);
  const now = await pageNowOf(context, review);
  return {
    name: review.domain,
    home: CHECKOUT_REVIEWS_PATH,
    facts: descriptionList([
      ['Session', html`<span class="id">${review.id}</span>`],
      ['Environment', environmentTag(review.environment)],
      ['Held for', review.reviewReasons.map(humanize).join(', ')],
      ['Price', money(review.price)],
      [
        'Buyer',
        html`${review.buyerName && html`<bdi>${review.buyerName}</bdi>, `}${[review.buyerEmail, review.buyerCountry].filter(Boolean).join(', ')}`,
      ],
      ['Partner', review.partnerName],
      ['Waits since', timestamp(review.reviewSince, now)],
      ['Decide by', timestamp(review.expiresAt, now)],
    ]),
  };
}

export async function screeningHit(
  context: OpsContext,
  { hit: id = '' }: Given,
): Promise<ActionSubject> {
  const hit = await getHit(context, id);
  return {
    name: `the hit of ${hit.partyName}`,
    home: SCREENING_PATH,
    facts: descriptionList([
      ['Party', [hit.partyName, hit.partyCountry].filter(Boolean).join(', ')],
      ['As', humanize(hit.role)],
      ['Entry', hit.entryName],
      ['Matched name', hit.matchedName],
      ['List', [`${hit.list} ${hit.entryId}`, hit.programme].filter(Boolean).join(', ')],
      ['Score', hit.score],
      ['Why', hit.why.map(humanize).join(', ')],
      ['Reason of the proposal', hit.status === 'proposed' && hit.reason],
      ['Proposed by', hit.proposer],
      ['Partner', hit.partnerName],
    ]),
  };
}

export async function listing(
  context: OpsContext,
  { environment = '', domain = '' }: Given,
): Promise<ActionSubject> {
  const found = await findListing(context, {
    environment: environment as Environment,
    domain,
  });
  if (!found) throw fail('not_found', { message: `${domain} was never listed.` });
  return {
    name: found.domainUnicode,
    home: pathWith('/ops/search', { q: found.domain }),
    currency: found.price.currency,
    facts: descriptionList([
      ['Environment', environmentTag(found.environment)],
      ['Status', statusBadge(found.status)],
      ['Price', money(found.price)],
      ['Changed', timestamp(found.updatedAt, realPageNow(context))],
    ]),
  };
}

export async function delivery(
  context: OpsContext,
  { delivery: id = '' }: Given,
): Promise<ActionSubject> {
  const delivery = await readDeliveryForOps(context, id);
  return {
    name: delivery.eventType,
    home: endpointPath(delivery.endpointId),
    facts: descriptionList([
      ['Delivery', html`<span class="id">${delivery.id}</span>`],
      ['Environment', environmentTag(delivery.environment)],
      ['Event', html`<span class="id">${delivery.eventId}</span>`],
      ['State', statusBadge(delivery.state)],
      ['Attempts', delivery.attempts],
      ['Partner', delivery.partnerName],
      ['Endpoint', delivery.url],
      ['About', delivery.subject],
    ]),
  };
}

export async function endpoint(
  context: OpsContext,
  { endpoint: id = '' }: Given,
): Promise<ActionSubject> {
  const endpoint = await readEndpointForOps(context, id);
  return {
    name: endpoint.name,
    home: endpointPath(endpoint.id),
    facts: descriptionList([
      ['Endpoint', html`<span class="id">${endpoint.id}</span>`],
      ['Environment', environmentTag(endpoint.environment)],
      ['Partner', endpoint.partnerName],
      ['Address', html`<span class="id">${endpoint.url}</span>`],
      ['Events', endpoint.eventTypes?.join(', ') ?? 'All'],
    ]),
  };
}

export async function replay(
  context: OpsContext,
  { replay: id = '' }: Given,
): Promise<ActionSubject> {
  const replay = await readReplayForOps(context, id);
  return {
    name: 'the replay',
    home: replaysPath(replay.endpointId),
    facts: descriptionList([
      ['Replay', html`<span class="id">${replay.id}</span>`],
      ['From', formatInstant(replay.from)],
      ['To', formatInstant(replay.to)],
      ['Status', statusBadge(replay.state)],
    ]),
  };
}

export async function mail(context: OpsContext, { mail: id = '' }: Given): Promise<ActionSubject> {
  const mail = await readMail(context, id);
  return {
    name: mail.recipient,
    home: mailPath(mail.id),
    facts: descriptionList([
      ['Email', html`<span class="id">${mail.id}</span>`],
      ['Kind', humanize(mail.kind)],
      ['State', statusBadge(mail.state)],
      ['Reason', mail.reason],
    ]),
  };
}

export async function registryMessage(
  context: OpsContext,
  { message: id = '' }: Given,
): Promise<ActionSubject> {
  const message = await getUnreadMessage(context, id);
  return {
    name: `message ${id}`,
    home: REGISTRY_MESSAGES_PATH,
    facts: descriptionList([
      ['Text', message.text],
      ['Domain', message.domain],
      ['Problem', message.fault],
    ]),
  };
}

export async function takenDomain(
  { db, clock }: OpsContext,
  { domain = '' }: Given,
): Promise<ActionSubject> {
  const { email, takenAt } = await readTaken({ db }, domain);
  return {
    name: domain,
    home: OWNERS_PATH,
    facts: descriptionList([
      ['Owner', email],
      ['At another registrar since', timestamp(takenAt, realPageNow({ clock }))],
    ]),
  };
}

export async function undoneRenewal(
  context: OpsContext,
  { renewal: id = '' }: Given,
): Promise<ActionSubject> {
  const renewal = await getUndoneRenewal(context, id);
  return {
    name: renewal.domain,
    home: RENEWALS_PATH,
    facts: descriptionList([
      ['Renewal', html`<span class="id">${renewal.id}</span>`],
      ['Kind', humanize(renewal.kind)],
      ['Price', money(renewal.price)],
      ['Owner', renewal.email],
      ['Attempts', renewal.attempts],
      ['Last answer', renewal.reason],
      ['Paid', timestamp(renewal.paidAt, realPageNow(context))],
    ]),
  };
}

export async function legalHold(
  { db, clock }: OpsContext,
  { hold: id = '' }: Given,
): Promise<ActionSubject> {
  const hold = await readLegalHold(db.knex, id);
  return {
    name: hold.domain,
    home: LEGAL_HOLDS_PATH,
    facts: descriptionList([
      ['Order', LEGAL_HOLD_NAMES[hold.kind]],
      ['Case', hold.caseReference],
      ['Placed', timestamp(hold.placedAt, realPageNow({ clock }))],
      ['Placed by', html`<span class="id">${hold.placedBy}</span>`],
    ]),
  };
}

export async function partner(
  context: OpsContext,
  { partner: id = '' }: Given,
): Promise<ActionSubject> {
  const partner = await readPartner(context, id);
  return {
    name: partner.name,
    home: partnerPath(partner.id),
    facts: descriptionList([
      ['Partner', html`<span class="id">${partner.id}</span>`],
      ['Status', statusBadge(partner.status)],
    ]),
  };
}

/** Reads a partner's payout account, at the revision of the link. */
export async function destination(
  context: OpsContext,
  { partner: id = '', kind, revision }: Given,
): Promise<ActionSubject> {
  const [partner, accounts] = await Promise.all([
    readPartner(context, id),
    readDestinations(context.db.knex, id),
  ]);
  const found = accounts.find((each) => each.kind === kind && String(each.revision) === revision);
  return {
    name: partner.name,
    home: partnerPath(partner.id),
    facts: descriptionList([
      ['Partner', html`<span class="id">${partner.id}</span>`],
      ['Account', found?.name ?? 'Changed since. Look at the partner’s page again.'],
      ['Set by', found?.setBy],
    ]),
  };
}

export async function person(
  context: OpsContext,
  { user: id = '', client }: Given,
): Promise<ActionSubject> {
  const person = await readUser(context, id);
  return {
    name: person.email,
    home: personPath(person.id),
    facts: descriptionList([
      ...personFacts(person, realPageNow(context)),
      ['Client', client && html`<span class="id">${client}</span>`],
    ]),
  };
}

export async function credential(
  context: OpsContext,
  { key_id: id = '' }: Given,
): Promise<ActionSubject> {
  const credential = await readCredential(context, id);
  return {
    name: credential.keyId,
    home: partnerPath(credential.partnerId),
    facts: descriptionList([
      ['Environment', environmentTag(credential.environment)],
      ['Status', statusBadge(credential.status)],
      ['Key', credential.name],
      ['Scopes', credential.scopes.join(', ')],
      ['Allowed addresses', credential.allowedIps?.join(', ') ?? 'Any'],
      ['Partner', html`<span class="id">${credential.partnerId}</span>`],
      ['Issued', timestamp(credential.createdAt, realPageNow(context))],
    ]),
  };
}

export async function settlement(context: OpsContext, { id = '' }: Given): Promise<ActionSubject> {
  const statement = await getStatementForOps(context, id);
  return {
    name: `the statement of ${statement.partnerName}`,
    home: settlementPath(statement.id),
    facts: descriptionList([
      ['Settlement', html`<span class="id">${statement.id}</span>`],
      ['Environment', environmentTag(statement.environment)],
      ['Period', formatPeriod(statement)],
      ['Status', statusBadge(statement.status)],
      ['Amount owed', money(new Money(statement.amountOwedCents, statement.currency))],
    ]),
  };
}

export async function brokerageCase(context: OpsContext, given: Given): Promise<ActionSubject> {
  const { found } = await getCaseById(context, given.case ?? '');
  return {
    name: `the case of ${found.domain}`,
    home: casePath(found.id),
    currency: found.budget.currency,
    facts: descriptionList([
      ['Case', html`<span class="id">${found.id}</span>`],
      ['Environment', environmentTag(found.environment)],
      ['Now', statusBadge(found.status)],
      ['Then', given.to && humanize(given.to)],
      ['Tier', humanize(found.tier)],
      ['Budget', money(found.budget)],
      ['Latest offer', latestOffer(found)],
    ]),
  };
}

export async function offer(
  context: OpsContext,
  { offer: id = '' }: Given,
): Promise<ActionSubject> {
  const { offer } = await getOfferById(context, id);
  const listing = await findListing(context, offer);
  return {
    name: `the offer on ${offer.domain}`,
    home: offerPath(offer.id),
    currency: offer.amount.currency,
    facts: descriptionList([
      ['Offer', html`<span class="id">${offer.id}</span>`],
      ['Environment', environmentTag(offer.environment)],
      ['Status', statusBadge(offer.status)],
      ['Buyer offers', money(offer.amount)],
      ['Owner’s last price', money(offer.counter)],
      ['Buy-now price', listing && money(listing.price)],
      ['Expires', timestamp(offer.expiresAt, await pageNowOf(context, offer))],
    ]),
  };
}

export async function payout(context: OpsContext, { id = '' }: Given): Promise<ActionSubject> {
  const payout = await getPayoutForOps(context, id);
  const accounts = await readDestinations(context.db.knex, payout.partnerId);
  return {
    name: 'the payout',
    home: '/ops/payouts',
    facts: descriptionList([
      ['Payout', html`<span class="id">${payout.id}</span>`],
      ['Environment', environmentTag(payout.environment)],
      ['Amount', money(payout.amount)],
      ['For', humanize(payout.source)],
      ['Status', statusBadge(payout.status)],
      ['Paid to', payout.environment === 'LIVE' && accounts.map(({ name }) => name).join(', or ')],
      ['Approved by', payout.approvedBy],
      ['Partner', html`<span class="id">${payout.partnerId}</span>`],
      ['Made', timestamp(payout.createdAt, await pageNowOf(context, payout))],
    ]),
  };
}

export async function repayment(
  context: OpsContext,
  { order: id = '' }: Given,
): Promise<ActionSubject> {
  const owed = await getRepayment(context, id);
  return {
    name: owed.domain,
    home: REPAYMENTS_PATH,
    facts: descriptionList([
      ['Order', owed.orderId && html`<span class="id">${owed.orderId}</span>`],
      ['Renewal', owed.renewalId && html`<span class="id">${owed.renewalId}</span>`],
      ['Payment', owed.paymentId && html`<span class="id">${owed.paymentId}</span>`],
      [
        'Provider reference',
        owed.providerReference && html`<span class="id">${owed.providerReference}</span>`,
      ],
      ['Environment', environmentTag(owed.environment)],
      ['Amount', money(owed.amount)],
      ['Buyer', owed.buyerEmail],
      ['Owed since', timestamp(owed.createdAt, realPageNow(context))],
    ]),
  };
}

export async function payoutFile(context: OpsContext, { id = '' }: Given): Promise<ActionSubject> {
  const { file, pending } = await getPayoutFile(context, id);
  return {
    name: 'the bank file',
    home: PAYOUT_FILES_PATH,
    facts: descriptionList([
      ['File', html`<span class="id">${file.id}</span>`],
      ['Amount', money(file.total)],
      ['Payouts', file.payouts],
      ['Pending', pending],
      ['Made', timestamp(file.createdAt, realPageNow(context))],
    ]),
  };
}

/** Returns what staff see of an account. */
export function personFacts(
  person: UserSummary,
  now: PageNow,
): readonly (readonly [name: string, value: unknown])[] {
  return [
    ['Status', statusBadge(accountStatus(person))],
    ['Role', roleName(person)],
    ['Open sessions', person.sessions],
    ['Clients allowed', person.clients],
    ['Since', timestamp(person.createdAt, now)],
    ['Disabled', person.disabledAt && timestamp(person.disabledAt, now)],
    ['User', html`<span class="id">${person.id}</span>`],
  ];
}

export function accountStatus({ disabledAt }: UserSummary): 'active' | 'disabled' {
  return disabledAt ? 'disabled' : 'active';
}

export function roleName({ role, staffRole }: UserSummary): string {
  return staffRole === null ? humanize(role) : `Operations: ${humanize(staffRole)}`;
}
