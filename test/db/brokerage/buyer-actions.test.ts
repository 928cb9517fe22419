import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Money } from '../../../shared/platform/money.ts';
import { cancelCase, raiseBudget } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { getCase } from '../../../shared/sales/brokerage/read-cases.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let partner: PartnerFixture;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
beforeEach(async () => {
  partner = await givenPartner(runtime);
});
afterAll(() => runtime.stop());

describe('buyer actions on a self-serve case', () => {
  it('raises the budget once per amount and notifies the partner', async () => {
    const { id } = await givenCase(runtime, partner);
    await raiseBudget(runtime, id, 600_000);
    await raiseBudget(runtime, id, 600_000);
    const { found, timeline } = await getCase(runtime, partner, id);
    expect(found.budget).toEqual(new Money(600_000, 'USD'));
    expect(timeline.slice(1)).toMatchObject([
      { event: 'raise_budget', by: 'buyer', status: 'OPEN', amount: new Money(600_000, 'USD') },
    ]);
    const events = runtime.db.knex('events').where({ partner_id: partner.partnerId });
    expect(await events.pluck('type')).toEqual(['brokerage.case_updated']);
  });

  it('refuses to lower the budget', async () => {
    const { id } = await givenCase(runtime, partner);
    await expect(raiseBudget(runtime, id, 499_999)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('$5,000.00'),
    });
  });

  it('cancels in one step and ignores a repeated cancel', async () => {
    const { id } = await givenCase(runtime, partner);
    await cancelCase(runtime, id);
    await cancelCase(runtime, id);
    const { timeline } = await getCase(runtime, partner, id);
    expect(timeline.slice(1)).toMatchObject([
      { event: 'cancel', by: 'buyer', status: 'CANCELLED' },
    ]);
  });

  it.each(['AGREED', 'COMPLETED', 'CLOSED_NO_DEAL'] as const)(
    'refuses changes to a case that is %s',
    async (status) => {
      const { id } = await givenCase(runtime, partner);
      await bringTo(runtime, id, status);
      const refusal = { code: 'conflict', details: { reason: 'invalid_state' } };
      await expect(raiseBudget(runtime, id, 900_000)).rejects.toMatchObject(refusal);
      await expect(cancelCase(runtime, id)).rejects.toMatchObject(refusal);
    },
  );

  it('refuses changes to a managed case', async () => {
    const { id } = await givenCase(runtime, partner, { tier: 'managed' });
    await expect(raiseBudget(runtime, id, 900_000)).rejects.toMatchObject({ code: 'conflict' });
    await expect(cancelCase(runtime, id)).rejects.toMatchObject({ code: 'conflict' });
  });
});
