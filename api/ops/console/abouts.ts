import { getAnyCase } from '../../../shared/brokerage/read-cases.ts';
import { findListing } from '../../../shared/inventory/find-listing.ts';
import { getAnyOrderDetail } from '../../../shared/orders/read-orders.ts';
import { readPartner } from '../../../shared/partners/list-partners.ts';
import { readCredential } from '../../../shared/partners/read-credentials.ts';
import { getAnyPayout } from '../../../shared/payouts/get-any-payout.ts';
import { readPerson } from '../../../shared/people/list-people.ts';
import type { Environment } from '../../../shared/platform/config.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { Money } from '../../../shared/platform/money.ts';
import { getAnyStatement } from '../../../shared/settlements/list-any-statements.ts';
import { readDeliveryForOps } from '../../../shared/webhooks/list-endpoints.ts';
import { html } from '../../pages/html.ts';
import type { OpsContext } from '../action.ts';
import {
  badge,
  day,
  endpointPath,
  environmentTag,
  money,
  orderPath,
  partnerPath,
  pathWith,
  personPath,
  settlementPath,
  when,
  words,
} from './format.ts';
import type { About } from './forms.ts';
import { personFacts } from './pages/people.ts';
import { facts } from './parts.ts';

// What a question is about, read when it is asked. Each throws not_found.

type Given = Readonly<Record<string, string>>;

/** For actions that have no subject yet. */
export function nothing(home: string): () => Promise<About> {
  return async () => ({ name: '', facts: null, home });
}

export async function order(context: OpsContext, { order: id = '' }: Given): Promise<About> {
  const { order, partnerName, transfer } = await getAnyOrderDetail(context, id);
  return {
    name: order.domain,
    home: orderPath(order.id),
    facts: facts([
      ['Order', html`<span class="id">${order.id}</span>`],
      ['Environment', environmentTag(order.environment)],
      ['Status', badge(order.status)],
      ['Price', money(order.price)],
      ['Partner', partnerName],
      [
        'Held for',
        order.status === 'MANUAL_REVIEW' ? order.reviewReasons.map(words).join(', ') : null,
      ],
      ['Transfer', transfer && badge(transfer.status)],
      ['Recorded', when(order.createdAt, context.clock.now())],
    ]),
  };
}

export async function listing(
  context: OpsContext,
  { environment = '', domain = '' }: Given,
): Promise<About> {
  const found = await findListing(context, {
    environment: environment as Environment,
    domain,
  });
  if (!found) throw fail('not_found', { message: `${domain} was never listed.` });
  return {
    name: found.domainUnicode,
    home: pathWith('/ops/search', { q: found.domain }),
    facts: facts([
      ['Environment', environmentTag(found.environment)],
      ['Status', badge(found.status)],
      ['Price', money(found.price)],
      ['Changed', when(found.updatedAt, context.clock.now())],
    ]),
  };
}

export async function delivery(context: OpsContext, { delivery: id = '' }: Given): Promise<About> {
  const delivery = await readDeliveryForOps(context, id);
  return {
    name: delivery.eventType,
    home: endpointPath(delivery),
    facts: facts([
      ['Delivery', html`<span class="id">${delivery.id}</span>`],
      ['Environment', environmentTag(delivery.environment)],
      ['Event', html`<span class="id">${delivery.eventId}</span>`],
      ['State', badge(delivery.state)],
      ['Attempts', delivery.attempts],
      ['Partner', delivery.partnerName],
      ['Endpoint', delivery.url],
      ['About', delivery.subject],
    ]),
  };
}

export async function partner(context: OpsContext, { partner: id = '' }: Given): Promise<About> {
  const partner = await readPartner(context, id);
  return {
    name: partner.name,
    home: partnerPath(partner.id),
    facts: facts([
      ['Partner', html`<span class="id">${partner.id}</span>`],
      ['Status', badge(partner.status)],
    ]),
  };
}

export async function person(
  context: OpsContext,
  { user: id = '', client }: Given,
): Promise<About> {
  const person = await readPerson(context, id);
  return {
    name: person.email,
    home: personPath(person.id),
    facts: facts([
      ...personFacts(person, context.clock.now()),
      ['Client', client && html`<span class="id">${client}</span>`],
    ]),
  };
}

export async function credential(context: OpsContext, { key_id: id = '' }: Given): Promise<About> {
  const credential = await readCredential(context, id);
  return {
    name: credential.keyId,
    home: partnerPath(credential.partnerId),
    facts: facts([
      ['Environment', environmentTag(credential.environment)],
      ['Status', badge(credential.status)],
      ['Scopes', credential.scopes.join(', ')],
      ['Partner', html`<span class="id">${credential.partnerId}</span>`],
      ['Issued', when(credential.createdAt, context.clock.now())],
    ]),
  };
}

export async function settlement(context: OpsContext, { id = '' }: Given): Promise<About> {
  const statement = await getAnyStatement(context, id);
  return {
    name: `the statement of ${statement.partnerName}`,
    home: settlementPath(statement.id),
    facts: facts([
      ['Settlement', html`<span class="id">${statement.id}</span>`],
      ['Environment', environmentTag(statement.environment)],
      [
        'Period',
        `${day(statement.periodStart)} to ${day(new Date(statement.periodEnd.getTime() - 1))}`,
      ],
      ['Status', badge(statement.status)],
      ['Amount owed', money(new Money(statement.amountOwedCents, statement.currency))],
    ]),
  };
}

export async function brokerageCase(context: OpsContext, given: Given): Promise<About> {
  const { found } = await getAnyCase(context, given.case ?? '');
  return {
    name: `the case of ${found.domain}`,
    home: `/ops/brokerage/${found.id}`,
    facts: facts([
      ['Case', html`<span class="id">${found.id}</span>`],
      ['Environment', environmentTag(found.environment)],
      ['Now', badge(found.status)],
      ['Then', given.to && badge(given.to)],
      ['Tier', words(found.tier)],
      ['Budget', money(found.budget)],
      ['Latest offer', money(found.latestOffer)],
    ]),
  };
}

export async function payout(context: OpsContext, { id = '' }: Given): Promise<About> {
  const payout = await getAnyPayout(context, id);
  return {
    name: 'the payout',
    home: '/ops/payouts',
    facts: facts([
      ['Payout', html`<span class="id">${payout.id}</span>`],
      ['Environment', environmentTag(payout.environment)],
      ['Amount', money(payout.amount)],
      ['For', words(payout.source)],
      ['Status', badge(payout.status)],
      ['Partner', html`<span class="id">${payout.partnerId}</span>`],
      ['Made', when(payout.createdAt, context.clock.now())],
    ]),
  };
}
