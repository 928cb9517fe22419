import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  changeRegistrant,
  findLastChange,
} from '../../../shared/domains/domain-registrants/change-registrant.ts';
import {
  forgetRegistrant,
  recordRegistered,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import { rescreen } from '../../../shared/operations/screening/rescreen.ts';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { startTransferHandler } from '../../../workers/handlers/transfer-handlers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf } from '../../support/bulk.ts';
import { buyerWith, CARDS, givenSession, ordersOf, sendForm } from '../../support/checkout.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenOrder } from '../../support/orders.ts';
import { KEPT_REGISTRANT, REGISTRANT } from '../../support/registrants.ts';
import { sell } from '../../support/sales.ts';
import { givenList, type ListRow } from '../../support/screening.ts';
import { statementsOf } from '../../support/statements.ts';

let app: TestApp;
let first: OpsClient;
let second: OpsClient;
/** Each test adds its own entry, because an import replaces the whole list. */
const entries: ListRow[] = [];

beforeAll(async () => {
  app = await startTestApp({ TRANSFER_POLICY_LIVE: 'automatic', MAIL: 'on' });
  [first, second] = [await givenOps(app), await givenOps(app)];
});
afterAll(() => app?.stop());

const load = (row: ListRow) => {
  entries.splice(0, entries.length, ...entries.filter(({ id }) => id !== row.id), row);
  return givenList(app.runtime, 'test-list', entries, { acceptLoss: true });
};

/** An order from a buyer with this name, as its partner sees it. */
async function bought(name: string, environment: 'LIVE' | 'SANDBOX' = 'LIVE', email?: string) {
  const partner = await app.partner({ environment });
  const listing = await givenListing(app.runtime, { environment });
  const buyer = { email: email ?? 'buyer@example.com', name, country: 'DE' };
  const { body } = await sell(partner.client, listing, { more: { buyer } }).expect(201);
  return { id: body.public_id as string, status: body.status as string, partner };
}

const statusOf = async (id: string) => (await first.get(`/orders/${id}`)).body.status;

async function hitsOf(subject: string, which = 'waiting') {
  const { hits } = (await first.get(`/screening/hits?which=${which}&limit=200`)).body;
  return hits.filter((hit: Record<string, string>) =>
    [hit.order_id, hit.checkout_session_id, hit.partner_id].includes(subject),
  );
}

async function release(hit: string) {
  const reason = 'Another birth date, by a copy of the passport';
  expect((await first.post(`/screening/hits/${hit}/release`, { reason })).status).toBe(200);
  return second.post(`/screening/hits/${hit}/confirm-release`);
}

const startTransfer = async (orderId: string) => {
  const row = await app.runtime.db
    .knex('outbox')
    .where({ name: 'start-transfer', state: 'pending' })
    .whereJsonSupersetOf('payload', { orderId })
    .first();
  return row && { outboxId: Number(row.id), epoch: row.epoch };
};

describe('a buyer who matches a sanctions list', () => {
  it('is held until two people release the match, and again only once the entry changes', async () => {
    await load({ id: 'A-1', name: 'Arvid Tolmachenko', birthDates: ['1960'], countries: ['UA'] });
    const sale = await bought('TOLMACHENKO, Arvid');
    expect(sale.status).toBe('MANUAL_REVIEW');
    expect(await startTransfer(sale.id)).toBeUndefined();
    const [hit] = await hitsOf(sale.id);
    expect(hit).toMatchObject({
      status: 'open',
      role: 'buyer',
      party: 'TOLMACHENKO, Arvid',
      list: 'test-list',
      entry_id: 'A-1',
      entry: 'Arvid Tolmachenko',
      why: ['same_name', 'other_country'],
    });

    const cleared = await first.post(`/orders/${sale.id}/clear`);
    expect(cleared.body.error.message).toContain('Two people have to release each match first');
    expect((await second.post(`/screening/hits/${hit.id}/confirm-release`)).status).toBe(409);
    const reason = 'Another person';
    await first.post(`/screening/hits/${hit.id}/release`, { reason });
    const alone = await first.post(`/screening/hits/${hit.id}/confirm-release`);
    expect(alone.body.error.message).toContain('Another person has to do this');
    expect(await statusOf(sale.id)).toBe('MANUAL_REVIEW');

    expect((await second.post(`/screening/hits/${hit.id}/confirm-release`)).status).toBe(200);
    expect(await statusOf(sale.id)).toBe('EXTERNALLY_PAID');
    expect(await startTransfer(sale.id)).toBeDefined();
    const { events } = (await sale.partner.client.get('/v1/events').expect(200)).body;
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'order.recorded',
      'order.manual_review_cleared',
    ]);
    const trail = await app.runtime.db.knex('audit_log').where({ subject: hit.id }).orderBy('id');
    expect(trail.map(({ action, after }) => [action, after.reason ?? after.status])).toEqual([
      ['screening:release', reason],
      ['screening:confirm-release', 'released'],
    ]);

    expect((await bought('Arvid Tolmachenko')).status).toBe('EXTERNALLY_PAID');
    expect((await bought('Arvid Tolmachenko', 'LIVE', 'b@example.com')).status).toBe(
      'MANUAL_REVIEW',
    );
    await load({ id: 'A-1', name: 'Arvid Tolmachenko', birthDates: ['1960'], countries: ['DE'] });
    expect((await bought('Arvid Tolmachenko')).status).toBe('MANUAL_REVIEW');
  });

  it('gets the order canceled when one person declines the match', async () => {
    await load({ id: 'B-1', name: 'Quirin Maslovetski', aliases: ['Квирин Масловецкий'] });
    const sale = await bought('Квирин Масловецкий');
    const [hit] = await hitsOf(sale.id);
    expect(hit).toMatchObject({
      score: 100,
      matched_name: 'Квирин Масловецкий',
      why: ['same_name', 'alias'],
    });
    const declined = await second.post(`/screening/hits/${hit.id}/decline`, { reason: 'The same' });
    expect(declined.body).toMatchObject({ status: 'declined', reason: 'The same' });
    expect(await statusOf(sale.id)).toBe('CANCELLED');
    const late = await first.post(`/screening/hits/${hit.id}/release`, {
      reason: 'Another person',
    });
    expect(late.body.error.message).toBe('The hit is declined.');
  });

  it('is held before payment on the checkout page, and can pay once released', async () => {
    await load({ id: 'C-1', name: 'Fenna Wijsmullerberg' });
    const { client } = await app.partner({ environment: 'LIVE' });
    const session = await givenSession(app, client, { environment: 'LIVE' });
    const buyer = { ...buyerWith(CARDS.good), name: 'Fenna Wijsmullerberg' };
    await sendForm(session.url, 'pay', buyer);
    const [hit] = await hitsOf(session.id);
    expect(hit).toMatchObject({ entry_id: 'C-1', checkout_session_id: session.id });
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect((await first.post(`/checkout-reviews/${session.id}/clear`)).status).toBe(409);

    expect((await release(hit.id)).status).toBe(200);
    await sendForm(session.url, 'pay', buyer);
    expect(await ordersOf(app, session.id)).toMatchObject([{ status: 'PAID' }]);

    const other = await givenSession(app, client, { environment: 'LIVE' });
    await sendForm(other.url, 'pay', { ...buyer, email: 'fenna@example.com' });
    const [again] = await hitsOf(other.id);
    await second.post(`/screening/hits/${again.id}/decline`, { reason: 'The same' });
    const { status } = await app.runtime.db
      .knex('checkout_sessions')
      .where({ id: other.id })
      .first();
    expect(status).toBe('cancelled');
  });

  it('costs one more SQL statement to screen, and none while no list is loaded', async () => {
    const count = async () => {
      const partner = await app.partner({ environment: 'LIVE' });
      const listing = await givenListing(app.runtime, { environment: 'LIVE' });
      const sale = () => sell(partner.client, listing).expect(201);
      return (await statementsOf(app.runtime, sale)).filter(({ sql }) => sql.includes('screening_'))
        .length;
    };
    await load({ id: 'D-1', name: 'Nobody At All' });
    const withList = await count();
    await app.runtime.db.knex('screening_lists').delete();
    // The statement that reads the review rules also reads whether a list is loaded.
    expect([withList, await count()]).toEqual([2, 1]);
  });

  it('is held if the registrant matches, in the order or set later', async () => {
    await load({ id: 'R-1', kind: 'entity', name: 'Quellwasser Ostrava sro' });
    const partner = await app.partner({ environment: 'LIVE' });
    const registrant = { ...REGISTRANT, organization: 'Quellwasser Ostrava GmbH' };
    const sold = async (more: object) => {
      const listing = await givenListing(app.runtime, { environment: 'LIVE' });
      return (await sell(partner.client, listing, { more }).expect(201)).body;
    };
    const held = await sold({ registrant });
    expect(held.status).toBe('MANUAL_REVIEW');
    expect(await hitsOf(held.public_id)).toMatchObject([{ role: 'organization', entry_id: 'R-1' }]);
    const free = await sold({});
    expect(free.status).toBe('EXTERNALLY_PAID');
    const path = `/v1/orders/${free.public_id}/registrant`;
    const { body } = await partner.client.put(path, { body: registrant }).expect(200);
    expect(body.status).toBe('MANUAL_REVIEW');
    expect(await hitsOf(free.public_id)).toHaveLength(1);
  });

  it('is held in the sandbox only with a reserved name', async () => {
    await load({ id: 'E-1', name: 'Sabrina Vexelholm' });
    expect((await bought('Sabrina Vexelholm', 'SANDBOX')).status).toBe('EXTERNALLY_PAID');
    const partner = await app.partner();
    const listing = await givenListing(app.runtime, { domain: 'screening-harbor.com' });
    const { body } = await sell(partner.client, listing).expect(201);
    expect(body.status).toBe('MANUAL_REVIEW');
    await partner.client
      .post(`/v1/sandbox/orders/${body.public_id}/advance`, { body: { to: 'EXTERNALLY_PAID' } })
      .expect(200);
  });
});

/** Runs the job that the import scheduled. */
async function rescreened(betweenParts: Parameters<typeof rescreen>[3] = () => {}) {
  const row = await app.runtime.db
    .knex('outbox')
    .where({ name: 'rescreen', state: 'pending' })
    .orderBy('id', 'desc')
    .first();
  const job = { outboxId: Number(row.id), epoch: row.epoch };
  return rescreen(app.runtime, job, row.payload, betweenParts);
}

describe('a new version of a sanctions list', () => {
  it('holds matching open orders and payees once, and reports how many', async () => {
    entries.length = 0;
    const sale = await bought('Leocadia Brunnhuberin');
    expect(sale.status).toBe('EXTERNALLY_PAID');
    const payee = await app.partner({ environment: 'LIVE' });
    await first.post(`/partners/${payee.partnerId}/payout-account`, {
      holder: 'Zephyrine Obstgartl',
      iban: 'DE89370400440532013000',
    });
    await load({ id: 'F-1', name: 'Leocadia Brunnhuberin' });
    await load({ id: 'F-2', name: 'Zephyrine Obstgartl' });
    const found = await rescreened();
    expect(found.hits).toBe(2);
    expect(await statusOf(sale.id)).toBe('MANUAL_REVIEW');
    const { events } = (await sale.partner.client.get('/v1/events').expect(200)).body;
    expect(events.at(-1)).toMatchObject({ type: 'order.held' });
    expect(await hitsOf(payee.partnerId)).toMatchObject([{ role: 'payee', entry_id: 'F-2' }]);
    const { lists } = (await first.get('/screening/lists')).body;
    expect(lists).toMatchObject([
      { list: 'test-list', rescreened_orders: found.orders, new_hits: 2 },
    ]);
    await load({ id: 'F-3', name: 'Nobody Elsewhere' });
    expect((await rescreened()).hits).toBe(0);

    // The transfer job finds the order held and ends. Releasing the order schedules a new one.
    const job = await startTransfer(sale.id);
    if (!job) throw new Error('no job');
    await startTransferHandler.run(
      { runtime: app.runtime, job } as never,
      { orderId: sale.id } as never,
    );
    expect(await startTransfer(sale.id)).toBeUndefined();
    const [hit] = await hitsOf(sale.id);
    expect((await release(hit.id)).status).toBe(200);
    expect(await statusOf(sale.id)).toBe('EXTERNALLY_PAID');
    expect(await startTransfer(sale.id)).toBeDefined();
  });
});

describe('registrants in a new version of a sanctions list', () => {
  it('cause matching orders and registrant changes to be held', async () => {
    entries.length = 0;
    await load({ id: 'R-0', name: 'Nobody Elsewhere' });
    const { client } = await app.partner({ environment: 'LIVE' });
    const listing = await givenListing(app.runtime, { environment: 'LIVE' });
    const registrant = { ...REGISTRANT, name: 'Wendelgard Altmoorer' };
    const { body } = await sell(client, listing, { more: { registrant } }).expect(201);
    const owner = await givenOwnerOf(app.runtime, 1);
    const [domain = ''] = owner.domains;
    const named = { ...KEPT_REGISTRANT, name: 'Hildburg Sturmkoenig' };
    const change = () =>
      app.runtime.db.transact((uow) =>
        changeRegistrant(uow, app.runtime, { ...owner, domain, registrant: named }),
      );
    expect(await change()).toBe('pending');
    await load({ id: 'R-1', name: 'Wendelgard Altmoorer' });
    await load({ id: 'R-2', name: 'Hildburg Sturmkoenig' });
    expect(await rescreened()).toMatchObject({ hits: 2, changes: 1 });
    expect(await statusOf(body.public_id)).toBe('MANUAL_REVIEW');
    expect(await hitsOf(body.public_id)).toMatchObject([{ role: 'registrant', entry_id: 'R-1' }]);
    expect(await findLastChange(app.runtime, { ...owner, domain })).toMatchObject({
      status: 'held',
    });
    expect((await rescreened()).hits).toBe(0);
  });
});

describe('registrants of owned domains in a new version of a sanctions list', () => {
  /** A domain with an owner, registered for a person of this name. */
  async function owned(name: string): Promise<{ userId: string; domain: string }> {
    const { userId, domains } = await givenOwnerOf(app.runtime, 1);
    const [domain = ''] = domains;
    await app.runtime.db.transact((uow) =>
      recordRegistered(uow, app.runtime, {
        environment: 'LIVE',
        domain,
        registrant: { ...KEPT_REGISTRANT, name },
        partnerId: null,
        orderId: null,
        knownAddresses: [KEPT_REGISTRANT.email],
        keepsHold: false,
      }),
    );
    return { userId, domain };
  }
  const hitsOn = async (domain: string, which = 'waiting') => {
    const { hits } = (await first.get(`/screening/hits?which=${which}&limit=200`)).body;
    return hits.filter((hit: { domain: string | null }) => hit.domain === domain);
  };
  const standing = async (domain: string) =>
    (await first.get('/legal-holds')).body.legal_holds.filter(
      (hold: { domain: string }) => hold.domain === domain,
    );
  const change = ({ userId, domain }: { userId: string; domain: string }) =>
    app.runtime.db.transact((uow) =>
      changeRegistrant(uow, app.runtime, { userId, domain, registrant: KEPT_REGISTRANT }),
    );

  it('put the domain on legal hold until two people release the match, even after a decline', async () => {
    entries.length = 0;
    const scene = await owned('Oluwaseyi Kranzbuehler');
    const other = await owned('Gunhild Nebelhorner');
    await load({ id: 'S-1', name: 'Oluwaseyi Kranzbuehler' });
    expect(await rescreened()).toMatchObject({ hits: 1 });
    const [hold, ...more] = await standing(scene.domain);
    expect(hold).toMatchObject({ kind: 'sanctions', placed_by: 'worker' });
    expect(more).toEqual([]);
    expect(await standing(other.domain)).toEqual([]);
    await expect(change(scene)).rejects.toThrow('is on legal hold');
    expect((await rescreened()).hits).toBe(0);
    const visitor = await givenVisitor(app);
    expect(readable((await visitor.visit('/screening')).text)).toContain(scene.domain);

    const byHand = await second.post(`/legal-holds/${hold.id}/lift`);
    expect(byHand.body.error.message).toContain('Two people have to release each match');
    const [hit] = await hitsOn(scene.domain);
    expect(hit).toMatchObject({ role: 'registrant', party: 'Oluwaseyi Kranzbuehler' });
    await first.post(`/screening/hits/${hit.id}/decline`, { reason: 'The same' });
    expect(await standing(scene.domain)).toHaveLength(1);
    expect((await rescreened()).hits).toBe(0);
    expect(await hitsOn(scene.domain, 'declined')).toHaveLength(1);

    expect((await release(hit.id)).body).toMatchObject({ status: 'released' });
    expect(await standing(scene.domain)).toEqual([]);
    expect(await change(scene)).toBe('pending');
    expect((await rescreened()).hits).toBe(0);
    expect(await standing(scene.domain)).toEqual([]);
  });

  it('keep the hold until every match is released, and matches are erased with the registrant', async () => {
    entries.length = 0;
    const scene = await owned('Ferdinanda Quastenburg');
    await load({ id: 'S-2', name: 'Ferdinanda Quastenburg' });
    await load({ id: 'S-3', name: 'Ferdinanda Quastenburg' });
    expect(await rescreened()).toMatchObject({ hits: 2 });
    const [one, two] = await hitsOn(scene.domain);
    await release(one.id);
    expect(await standing(scene.domain)).toHaveLength(1);
    await release(two.id);
    expect(await standing(scene.domain)).toEqual([]);
    await app.runtime.db.transact((uow) =>
      forgetRegistrant(uow, { environment: 'LIVE', domain: scene.domain }),
    );
    const left = app.runtime.db.knex('screening_hits').whereIn('id', [one.id, two.id]);
    expect(await left).toEqual([]);
  });

  it('are compared once, even if the run was interrupted', async () => {
    entries.length = 0;
    const scene = await owned('Theodelinde Wackersbach');
    await load({ id: 'S-4', name: 'Theodelinde Wackersbach' });
    const parts: { registrants: number }[] = [];
    const stopped = rescreened((soFar) => {
      parts.push({ ...soFar });
      if (soFar.hits > 0) throw new Error('the process ends');
    });
    await expect(stopped).rejects.toThrow('the process ends');
    const found = await rescreened();
    expect(found).toMatchObject({ hits: 1, registrants: parts.at(-1)?.registrants });
    expect(await standing(scene.domain)).toHaveLength(1);
    const { lists } = (await first.get('/screening/lists')).body;
    expect(lists).toMatchObject([{ rescreened_registrants: found.registrants, new_hits: 1 }]);
  });
});

describe('a payee who matches a sanctions list', () => {
  it('can be released by two people after a decline, and staff are reminded of open matches', async () => {
    await load({ id: 'G-0', kind: 'entity', name: 'Borkenkamp Trading' });
    const { partnerId } = await app.partner({ environment: 'LIVE' });
    const account = { holder: 'Borkenkamp Trading', iban: 'FR1420041010050500013M02606' };
    await first.post(`/partners/${partnerId}/payout-account`, account);
    const [hit] = await hitsOf(partnerId);
    const { db, clock } = app.runtime;
    const created_at = addMs(clock.now(), -2 * DAY);
    await db.knex('screening_hits').where({ id: hit.id }).update({ created_at });
    const staff = { partner_id: null, email: 'staff@market.example', created_at };
    await db.knex('mail_contacts').insert(staff);
    await sendStaffDigest(app.runtime);
    const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
    expect(mail?.data.waiting).toContainEqual({ what: 'Screening hits to decide', count: 1 });
    const decline = { reason: 'The same company' };
    expect((await first.post(`/screening/hits/${hit.id}/decline`, decline)).status).toBe(200);
    expect(await hitsOf(partnerId, 'declined')).toHaveLength(1);
    const reason = 'They proved that they are somebody else';
    expect((await first.post(`/screening/hits/${hit.id}/release`, { reason })).status).toBe(200);
    expect((await first.post(`/screening/hits/${hit.id}/confirm-release`)).status).toBe(409);
    expect((await second.post(`/screening/hits/${hit.id}/confirm-release`)).status).toBe(200);
    expect(await hitsOf(partnerId, 'released')).toHaveLength(1);
  });

  it('is paid nothing until two people release the match', async () => {
    await load({ id: 'G-1', kind: 'entity', name: 'Tarnowica Ventures OOO' });
    const { partnerId } = await app.partner({ environment: 'LIVE' });
    const account = { holder: 'Tarnowica Ventures Ltd', iban: 'FR1420041010050500013M02606' };
    await first.post(`/partners/${partnerId}/payout-account`, account);
    const owner = { partnerId, environment: 'LIVE' as const };
    const deliveredAt = addMs(app.runtime.clock.now(), -60 * DAY);
    await givenOrder(app.runtime, owner, { paymentModel: 'hosted_checkout', deliveredAt });
    await closePartnerPeriods(app.runtime, { ...owner, until: app.runtime.clock.now() });
    const { id } = await app.runtime.db.knex('payouts').where({ partner_id: partnerId }).first();

    const listed = async (status: string) =>
      (await first.get(`/payouts?status=${status}&partner=${partnerId}`)).body.payouts.length;
    expect([await listed('pending'), await listed('held')]).toEqual([0, 1]);
    const pay = () => second.post(`/payouts/${id}/mark-paid`, { reference: 'bank 7' });
    expect((await pay()).body.error.message).toContain('may be on a sanctions list');
    const [hit, ...more] = await hitsOf(partnerId);
    expect(more).toEqual([]);
    await release(hit.id);
    expect([await listed('pending'), await listed('held')]).toEqual([1, 0]);
    expect((await pay()).status).toBe(200);
  });
});

describe('screening for staff', () => {
  it('shows matches in the console, where two people release them, and rejects invalid lists', async () => {
    await load({ id: 'H-1', name: 'Ottokar Pfefferkornius' });
    const sale = await bought('Otokar Pfeferkornius');
    const visitor = await givenVisitor(app);
    const page = readable((await visitor.visit('/screening')).text);
    expect(page).toContain('Otokar Pfeferkornius');
    expect(page).toContain('Ottokar Pfefferkornius');
    expect(page).toContain('test-list');
    const [hit] = await hitsOf(sale.id);
    const sent = await visitor.act(
      'screening-release',
      { hit: hit.id },
      { reason: 'Another person' },
    );
    expect(readable((await visitor.follow(sent)).text)).toContain('waits for a second person');
    const other = await givenVisitor(app);
    await other.act('screening-confirm-release', { hit: hit.id });
    expect(await statusOf(sale.id)).toBe('EXTERNALLY_PAID');
    const order = readable((await visitor.visit(`/orders/${sale.id}`)).text);
    expect(order).toContain('Was held for Screening');
    expect(order).toMatch(
      new RegExp(
        `screening:confirm-release ${other.email} .*screening:release ${visitor.email} reason Another person`,
      ),
    );

    const refused = await runOps(app.runtime, [
      'screening:import',
      '--list',
      'eu',
      '--file',
      'package.json',
    ]);
    expect(refused.stderr).toContain('must have a header with list, entry_id');
    expect((await first.get('/screening/lists')).body.lists).toHaveLength(1);
  });
});
