import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inviteStaff } from '../../../shared/people/members/invitations.ts';
import { setPassword } from '../../../shared/people/user-accounts/user-access.ts';
import { createUser } from '../../../shared/people/users/user-account.ts';
import { DAY, MINUTE } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { approvePayout } from '../../../shared/settlement/payouts/approve-payout.ts';
import { setConnectedAccount } from '../../../shared/settlement/payouts/connected-account.ts';
import { createPayout } from '../../../shared/settlement/payouts/create-payouts.ts';
import {
  approveDestination,
  type DestinationKind,
} from '../../../shared/settlement/payouts/destination.ts';
import { setPayoutAccount } from '../../../shared/settlement/payouts/payout-account.ts';
import {
  downloadPayoutFile,
  makePayoutFile,
} from '../../../shared/settlement/payouts/payout-files.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { requestPayoutTransfer } from '../../../shared/settlement/payouts/send-payout.ts';
import { givenPartner, unique } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

/** Example IBANs from the SWIFT registry. */
const OURS = 'DE89370400440532013000';
const THEIRS = 'FR1420041010050500013M02606';
const CHANGED = 'GB29NWBK60161331926819';

let runtime: TestRuntime;
let alone: TestRuntime;
beforeAll(async () => {
  const env = { PAYOUT_IBAN: OURS, MAIL: 'on' };
  runtime = await createTestRuntime({ ...env, PAYOUT_APPROVAL_OVER_CENTS: '100000' });
  alone = await createTestRuntime(env);
});
afterAll(async () => {
  await runtime?.stop();
  await alone?.stop();
});
// Each test has only the pending payouts that it created.
beforeEach(async () => {
  for (const { db, clock } of [runtime, alone]) {
    const failed = { status: 'failed', failed_at: clock.now() };
    await db.knex('payouts').where({ status: 'pending' }).update(failed);
  }
});

const refused = { code: 'conflict', details: { reason: 'invalid_state' } };

function scene(on: TestRuntime) {
  const set = (partnerId: string, iban: string, actor = 'usr_setter') =>
    setPayoutAccount(on, actor, partnerId, { holder: 'Harbor Names SARL', iban, bic: null });
  return {
    set,
    async given({ amountCents = 100_001, currency = 'EUR' } = {}) {
      const { partnerId } = await givenPartner(on);
      const email = `money${unique()}@partner.example`;
      await on.db
        .knex('mail_contacts')
        .insert({ partner_id: partnerId, email, created_at: on.clock.now() });
      await set(partnerId, THEIRS);
      const balance = { source: 'referral' as const, amount: new Money(amountCents, currency) };
      const owner = { partnerId, environment: 'LIVE' as const };
      const { id } = await on.db.transact((uow) =>
        createPayout(uow, owner, balance, { settlementId: null, now: uow.now }),
      );
      return { partnerId, id, email };
    },
    approve: (id: string, actor: string) => approvePayout(on, actor, id),
    approveAccount: (
      partnerId: string,
      actor: string,
      { kind = 'bank' as DestinationKind, revision = 2 } = {},
    ) =>
      on.db.transact((uow) =>
        approveDestination(uow, on.config, actor, { partnerId, kind, revision }),
      ),
    pay: (id: string, actor: string) =>
      markPayoutPaid(on, actor, { payoutId: id, reference: 'wire-1' }),
    async file(actor: string, currency = 'EUR') {
      const { id } = await makePayoutFile(on, actor, currency);
      return (await downloadPayoutFile(on, actor, id)).content;
    },
    payout: (id: string) => on.db.knex('payouts').where({ id }).first(),
    mails: (recipient: string) =>
      on.db.knex('mails').where({ recipient, kind: 'payout-account-changed' }),
  };
}

const payable = (on: TestRuntime) => () => ({
  ...on.payments('LIVE'),
  canBePaid: async () => true,
});

/** Sets a partner's account at the payment provider. */
const connectTo = (on: TestRuntime, partnerId: string, account: string, actor: string) =>
  setConnectedAccount({ ...on, payments: payable(on) }, actor, partnerId, account);

/** A pending payout of a partner with a bank account, and ways to pay it through the provider. */
async function givenProvider(on: TestRuntime, { amountCents = 100_001 } = {}) {
  const { partnerId, id } = await scene(on).given({ amountCents, currency: 'USD' });
  return {
    partnerId,
    id,
    connect: (account: string, actor: string) => connectTo(on, partnerId, account, actor),
    send: (actor: string) => requestPayoutTransfer({ ...on, payments: payable(on) }, actor, id),
  };
}

async function wait(on: TestRuntime, ms: number, work: () => Promise<unknown>): Promise<void> {
  on.clock.advance(ms);
  try {
    await work();
  } finally {
    on.clock.advance(-ms);
  }
}

describe('approving a payout', () => {
  it('ends when the bank account changes; the new one waits a day and needs approval', async () => {
    const { given, set, approve, approveAccount, file, pay, payout, mails } = scene(runtime);
    const { partnerId, id, email } = await given();
    await approve(id, 'usr_first');
    await set(partnerId, CHANGED, 'usr_second');
    expect(await payout(id)).toMatchObject({ approved_by: null, approved_bank: null });
    expect((await mails(email)).map(({ data }) => data)).toMatchObject([
      { revision: 1, usableFrom: null },
      { revision: 2, name: expect.stringContaining('6819') },
    ]);
    await expect(file('usr_second')).rejects.toMatchObject(refused);
    await expect(pay(id, 'usr_second')).rejects.toMatchObject(refused);
    await expect(approve(id, 'usr_first')).rejects.toMatchObject(refused);

    await expect(approveAccount(partnerId, 'usr_second')).rejects.toMatchObject(refused);
    expect(await approveAccount(partnerId, 'usr_first')).toMatchObject({ approvedBy: 'usr_first' });
    await wait(runtime, DAY - MINUTE, async () => {
      await expect(approve(id, 'usr_first')).rejects.toMatchObject(refused);
    });
    await wait(runtime, DAY + MINUTE, async () => {
      await approve(id, 'usr_first');
      const content = await file('usr_second');
      expect(content).toContain(CHANGED);
      expect(content).not.toContain(THEIRS);
    });
  });

  it('approves the account revision that was reviewed, not one set since', async () => {
    const { given, set, approveAccount } = scene(runtime);
    const { partnerId } = await given();
    await set(partnerId, CHANGED, 'usr_second');
    await set(partnerId, OURS, 'usr_second');
    await expect(approveAccount(partnerId, 'usr_first')).rejects.toMatchObject(refused);
    await expect(approveAccount(partnerId, 'usr_first', { revision: 4 })).rejects.toMatchObject(
      refused,
    );
    expect(await approveAccount(partnerId, 'usr_first', { revision: 3 })).toMatchObject({
      revision: 3,
      approvedBy: 'usr_first',
    });
    await set(partnerId, THEIRS, 'usr_second');
    await expect(approveAccount(partnerId, 'usr_first', { revision: 3 })).rejects.toMatchObject(
      refused,
    );
  });

  it('stays valid when the same account is set again', async () => {
    const { given, set, approve, payout, mails, file } = scene(runtime);
    const { partnerId, id, email } = await given();
    await approve(id, 'usr_first');
    await set(partnerId, 'fr14 2004 1010 0505 0001 3m02 606', 'usr_second');
    expect(await payout(id)).toMatchObject({ approved_by: 'usr_first', approved_bank: 1 });
    expect(await mails(email)).toHaveLength(1);
    expect(await file('usr_second')).toContain(THEIRS);
  });

  it('is refused to whoever set the account', async () => {
    const { given, approve } = scene(runtime);
    const { id } = await given();
    await expect(approve(id, 'usr_setter')).rejects.toMatchObject(refused);
  });

  it('puts the payout into the next file, even behind many waiting ones', async () => {
    const { given, approve, file } = scene(runtime);
    const { id } = await given();
    await approve(id, 'usr_first');
    await runtime.db.knex.raw(
      `insert into payouts (id, partner_id, environment, source, amount_cents, currency, status, created_at)
        select 'pay_00' || n, partner_id, environment, source, amount_cents, currency, status, created_at
        from payouts, generate_series(1001, 2000) n where id = ?`,
      [id],
    );
    const content = await file('usr_second');
    expect(content).toContain(id.replace('_', '-'));
    expect(content).toContain('<NbOfTxs>1</NbOfTxs>');
  });

  it('never lets a file pay an account that was not approved, even under concurrency', async () => {
    const { given, set, approve, file } = scene(runtime);
    for (let round = 0; round < 8; round += 1) {
      const { partnerId, id } = await given();
      if (round % 2 === 0) await approve(id, 'usr_first');
      const files = [file('usr_second'), file('usr_second')];
      const all = [
        approve(id, 'usr_first'),
        set(partnerId, CHANGED, 'usr_second'),
        ...files,
        approve(id, 'usr_first'),
      ];
      await Promise.allSettled(all);
      for (const made of await Promise.allSettled(files)) {
        if (made.status === 'fulfilled') expect(made.value).not.toContain(CHANGED);
      }
      await expect(file('usr_second')).rejects.toMatchObject(refused);
      await runtime.db
        .knex('payouts')
        .where({ id })
        .update({ status: 'failed', failed_at: runtime.clock.now() });
    }
  });

  it('also covers an account at the payment provider', async () => {
    const { approve, approveAccount, payout } = scene(runtime);
    const { partnerId, id, connect, send } = await givenProvider(runtime);
    await connect('acct_1', 'usr_setter');
    await approveAccount(partnerId, 'usr_first', { kind: 'provider', revision: 1 });
    await wait(runtime, DAY + MINUTE, async () => {
      await approve(id, 'usr_first');
      await connect('acct_2', 'usr_second');
      expect(await payout(id)).toMatchObject({ approved_by: null });
      await expect(send('usr_second')).rejects.toMatchObject(refused);
      await approveAccount(partnerId, 'usr_first', { kind: 'provider' });
    });
    await wait(runtime, 2 * DAY + 2 * MINUTE, async () => {
      await expect(send('usr_second')).rejects.toMatchObject(refused);
      await approve(id, 'usr_first');
      expect(await send('usr_second')).toMatchObject({ sentTo: 'acct_2' });
    });
  });
});

describe('a first account beside one of the other kind', () => {
  it('waits a day and needs approval, as a change does', async () => {
    const { approveAccount } = scene(runtime);
    const { partnerId, connect, send } = await givenProvider(runtime, { amountCents: 500 });
    await connect('acct_new', 'usr_second');
    await expect(send('usr_second')).rejects.toMatchObject(refused);
    await wait(runtime, DAY + MINUTE, async () => {
      await expect(send('usr_second')).rejects.toMatchObject(refused);
      const first = { kind: 'provider' as const, revision: 1 };
      await expect(approveAccount(partnerId, 'usr_second', first)).rejects.toMatchObject(refused);
      await approveAccount(partnerId, 'usr_first', first);
      expect(await send('usr_second')).toMatchObject({ sentTo: 'acct_new' });
    });
  });

  it('waits as a bank account, too, and no file pays it before it is approved', async () => {
    const { given, set, approveAccount, file } = scene(runtime);
    const { partnerId } = await given({ amountCents: 500 });
    await runtime.db.knex('payout_accounts').where({ partner_id: partnerId }).delete();
    await connectTo(runtime, partnerId, 'acct_old', 'usr_setter');
    await set(partnerId, CHANGED, 'usr_second');
    await expect(file('usr_second')).rejects.toMatchObject(refused);
    await wait(runtime, DAY + MINUTE, async () => {
      await expect(file('usr_second')).rejects.toMatchObject(refused);
      await approveAccount(partnerId, 'usr_first', { revision: 1 });
      expect(await file('usr_second')).toContain(CHANGED);
    });
  });
});

it('with single-person approval, a changed account only waits a day', async () => {
  const { given, set, file, pay, approveAccount } = scene(alone);
  const { partnerId, id } = await given({ amountCents: 500 });
  await set(partnerId, CHANGED);
  await expect(file('usr_a')).rejects.toMatchObject(refused);
  await expect(pay(id, 'usr_a')).rejects.toMatchObject(refused);
  await expect(approveAccount(partnerId, 'usr_b')).rejects.toMatchObject(refused);
  await wait(alone, DAY + MINUTE, async () => expect(await file('usr_a')).toContain(CHANGED));
});

describe('setting the first account twice at the same moment', () => {
  /** The revision of each account, and whether it waits, after two people set the first one at once. */
  async function raced(table: string, set: (partnerId: string) => Promise<unknown>[]) {
    const partners = await Promise.all(Array.from({ length: 8 }, () => givenPartner(runtime)));
    const ids = partners.map(({ partnerId }) => partnerId);
    for (const id of ids) await Promise.all(set(id));
    const rows = await runtime.db.knex(table).whereIn('partner_id', ids);
    return rows.map(({ revision, usable_from }) => [revision, usable_from !== null]);
  }

  it.each([
    [
      'bank',
      'payout_accounts',
      (id: string): Promise<unknown>[] => {
        const { set } = scene(runtime);
        return [set(id, THEIRS), set(id, CHANGED, 'usr_second')];
      },
    ],
    [
      'provider',
      'connected_accounts',
      (id: string): Promise<unknown>[] => {
        return ['acct_1', 'acct_2'].map((account) => connectTo(runtime, id, account, 'usr_setter'));
      },
    ],
  ])('counts as a first account and a change that waits a day (%s)', async (_kind, table, set) => {
    expect(await raced(table, set)).toEqual(Array.from({ length: 8 }, () => [2, true]));
  });
});

describe('a second approver', () => {
  const PASSWORD = 'a long enough password 41';
  const staff = async (actor: string, email = `staff${unique()}@market.example`) =>
    (await createUser(runtime, actor, { email, password: PASSWORD, role: 'ops' })).id;
  const changeOwn = (id: string) =>
    runtime.db.knex('audit_log').insert({
      at: runtime.clock.now(),
      actor: id,
      action: 'user:change-password',
      subject: id,
    });

  async function approvedBy(approver: string) {
    const { given, approve, pay } = scene(runtime);
    const { id } = await given();
    await approve(id, approver);
    return (actor: string) => pay(id, actor);
  }

  it('cannot be a recent account of the payer, nor one without its own password', async () => {
    const maker = await staff('cli:root');
    const puppet = await staff(maker);
    await expect((await approvedBy(puppet))(maker)).rejects.toMatchObject(refused);
    await expect((await approvedBy(maker))(puppet)).rejects.toMatchObject(refused);
    await wait(runtime, 31 * DAY, async () => {
      await expect((await approvedBy(puppet))(maker)).rejects.toMatchObject(refused);
      await changeOwn(puppet);
      expect(await (await approvedBy(puppet))(maker)).toMatchObject({ status: 'paid' });
    });
  });

  it('cannot be an account that the payer invited, reset, or controls via another', async () => {
    const maker = await staff('cli:root');
    const email = `invited${unique()}@market.example`;
    await inviteStaff(runtime, maker, { email, role: 'finance' });
    const invited = await staff('cli:root', email);
    await expect((await approvedBy(invited))(maker)).rejects.toMatchObject(refused);

    const colleague = await staff('cli:root');
    expect(await (await approvedBy(colleague))(maker)).toMatchObject({ status: 'paid' });
    await setPassword(runtime, maker, { who: colleague, password: `${PASSWORD} 2` });
    await changeOwn(colleague);
    await expect((await approvedBy(colleague))(maker)).rejects.toMatchObject(refused);

    const [one, other] = [await staff(invited), await staff(maker)];
    await expect((await approvedBy(one))(maker)).rejects.toMatchObject(refused);
    await expect((await approvedBy(one))(other)).rejects.toMatchObject(refused);
  });
});
