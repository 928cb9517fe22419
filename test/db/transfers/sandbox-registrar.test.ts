import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({
    sandboxRegistrarDelayMs: 2_000,
    sandboxRegistrarSlowDelayMs: 60_000,
  });
});
afterAll(() => runtime.stop());

const BUYER = { email: 'buyer@example.com', name: null, country: null };

let count = 0;
function pushOf(domain: string) {
  count += 1;
  return { clientReference: `trf_${count}-1`, domain, registrant: BUYER };
}
const registrar = () => runtime.registrars('SANDBOX');
const push = (domain: string) => {
  const request = pushOf(domain);
  return { request, reference: request.clientReference, state: registrar().push(request) };
};

describe('the sandbox registrar', () => {
  it('completes a push after its delay', async () => {
    const { reference, state } = push('neonwallet.com');
    expect(await state).toEqual({ status: 'pending' });
    runtime.clock.advance(2_000);
    expect(await registrar().read(reference)).toEqual({ status: 'completed' });
  });

  it('takes the same reference for the same push', async () => {
    const { request, state } = push('twice.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().push(request)).toEqual({ status: 'completed' });
  });

  it('takes its time over slow-transfer- names', async () => {
    const { reference, state } = push('slow-transfer-1.com');
    await state;
    runtime.clock.advance(59_000);
    expect(await registrar().read(reference)).toEqual({ status: 'pending' });
    runtime.clock.advance(1_000);
    expect(await registrar().read(reference)).toEqual({ status: 'completed' });
  });

  it('rejects fail-transfer- names', async () => {
    const { reference, state } = push('fail-transfer-1.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().read(reference)).toEqual({
      status: 'failed',
      reason: 'registrar_rejected',
    });
  });

  it('knows no reserved names in LIVE', async () => {
    const request = pushOf('fail-transfer-1.com');
    await runtime.registrars('LIVE').push(request);
    runtime.clock.advance(2_000);
    const state = await runtime.registrars('LIVE').read(request.clientReference);
    expect(state).toEqual({ status: 'completed' });
  });

  it('cancels a push that is not done, once and again', async () => {
    const { request, reference, state } = push('stopped.com');
    await state;
    expect(await registrar().cancel(reference)).toBe('cancelled');
    expect(await registrar().cancel(reference)).toBe('cancelled');
    runtime.clock.advance(2_000);
    expect(await registrar().push(request)).toEqual({ status: 'failed', reason: 'cancelled' });
  });

  it('is too late to cancel a push that is done', async () => {
    const { reference, state } = push('gone.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().cancel(reference)).toBe('too_late');
  });

  it('refuses a push whose cancellation came first', async () => {
    const request = pushOf('overtaken.com');
    expect(await registrar().cancel(request.clientReference)).toBe('cancelled');
    expect(await registrar().push(request)).toEqual({ status: 'failed', reason: 'cancelled' });
  });

  it('says so when it does not know a reference', async () => {
    expect(await registrar().read('trf_none-1')).toEqual({
      status: 'failed',
      reason: 'unknown_reference',
    });
  });
});
