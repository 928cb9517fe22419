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

let count = 0;
function pushOf(domain: string) {
  count += 1;
  return { clientReference: `trf_${count}-1`, domain };
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
    expect(await registrar().proceed(reference)).toEqual({ status: 'completed' });
  });

  it('treats a repeated client reference as the same push', async () => {
    const { request, state } = push('twice.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().push(request)).toEqual({ status: 'completed' });
  });

  it('takes a minute for slow-transfer- names', async () => {
    const { reference, state } = push('slow-transfer-1.com');
    await state;
    runtime.clock.advance(59_000);
    expect(await registrar().proceed(reference)).toEqual({ status: 'pending' });
    runtime.clock.advance(1_000);
    expect(await registrar().proceed(reference)).toEqual({ status: 'completed' });
  });

  it('rejects fail-transfer- names', async () => {
    const { reference, state } = push('fail-transfer-1.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().proceed(reference)).toEqual({
      status: 'failed',
      reason: 'registrar_rejected',
    });
  });

  it('treats reserved names like any other in LIVE', async () => {
    const request = pushOf('fail-transfer-1.com');
    await runtime.registrars('LIVE').push(request);
    runtime.clock.advance(2_000);
    const state = await runtime.registrars('LIVE').proceed(request.clientReference);
    expect(state).toEqual({ status: 'completed' });
  });

  it('cancels a pending push, even when asked twice', async () => {
    const { request, reference, state } = push('stopped.com');
    await state;
    expect(await registrar().cancel(reference)).toBe('cancelled');
    expect(await registrar().cancel(reference)).toBe('cancelled');
    runtime.clock.advance(2_000);
    expect(await registrar().push(request)).toEqual({ status: 'failed', reason: 'cancelled' });
  });

  it('is too late to cancel a completed push', async () => {
    const { reference, state } = push('gone.com');
    await state;
    runtime.clock.advance(2_000);
    expect(await registrar().cancel(reference)).toBe('too_late');
  });

  it('refuses a push that was canceled before it arrived', async () => {
    const request = pushOf('overtaken.com');
    expect(await registrar().cancel(request.clientReference)).toBe('cancelled');
    expect(await registrar().push(request)).toEqual({ status: 'failed', reason: 'cancelled' });
  });

  it('reports an unknown reference', async () => {
    expect(await registrar().proceed('trf_none-1')).toEqual({
      status: 'failed',
      reason: 'unknown_reference',
    });
  });
});

describe('the sandbox registrar after issuing an authorization code', () => {
  const issue = (domain: string, clientReference = `${domain}-1`) =>
    registrar().issueAuthCode({ clientReference, domain });
  const answer = (domain: string, what: 'approve' | 'reject', requestedBy = 'sandbox-registrar') =>
    registrar().answerTransfer({ clientReference: 'a', domain, answer: what, requestedBy });

  it('simulates a transfer request after its delay and accepts our answer', async () => {
    const issued = await issue('leaving.com');
    expect(issued).toEqual({
      status: 'done',
      code: expect.stringMatching(/^[\x21-\x7e]{20,}$/),
    });
    expect(await issue('leaving.com')).toEqual(issued);
    expect(await registrar().findTransfer('leaving.com')).toBeUndefined();
    runtime.clock.advance(2_000);
    expect(await registrar().findTransfer('leaving.com')).toMatchObject({
      status: 'pending',
      requestedBy: 'sandbox-registrar',
      requestedAt: expect.any(Date),
    });
    expect(await answer('leaving.com', 'approve', 'another')).toMatchObject({ status: 'pending' });
    for (let time = 0; time < 2; time += 1) {
      expect(await answer('leaving.com', 'approve')).toMatchObject({ status: 'approved' });
    }
    expect(await answer('leaving.com', 'reject')).toMatchObject({ status: 'approved' });
    expect(await issue('leaving.com')).toMatchObject({ status: 'refused' });
  });

  it('simulates no request with a code that was cleared or replaced', async () => {
    await issue('staying.com');
    const clear = { clientReference: 'staying.com-1', domain: 'staying.com' };
    for (let time = 0; time < 2; time += 1) {
      expect(await registrar().clearAuthCode(clear)).toEqual({ status: 'done' });
    }
    runtime.clock.advance(2_000);
    expect(await registrar().findTransfer('staying.com')).toBeUndefined();
    expect(await issue('staying.com')).toMatchObject({ status: 'refused' });
    await issue('staying.com', 'staying.com-2');
    runtime.clock.advance(1_000);
    await issue('staying.com', 'staying.com-3');
    expect(await issue('staying.com', 'staying.com-2')).toMatchObject({ status: 'refused' });
    runtime.clock.advance(1_000);
    expect(await registrar().findTransfer('staying.com')).toBeUndefined();
  });

  it('refuses to clear or issue codes while a transfer is pending', async () => {
    await issue('going.com');
    runtime.clock.advance(2_000);
    const clear = { clientReference: 'going.com-1', domain: 'going.com' };
    expect(await registrar().clearAuthCode(clear)).toMatchObject({ status: 'refused' });
    expect(await issue('going.com', 'going.com-2')).toMatchObject({ status: 'refused' });
    expect(await answer('going.com', 'reject')).toMatchObject({ status: 'rejected' });
    expect(await issue('going.com', 'going.com-2')).toMatchObject({ status: 'done' });
  });

  it('simulates no request for fail-transfer- names', async () => {
    await issue('fail-transfer-2.com');
    runtime.clock.advance(100_000);
    expect(await registrar().findTransfer('fail-transfer-2.com')).toBeUndefined();
  });

  it('refuses to issue codes in LIVE', async () => {
    const live = runtime.registrars('LIVE');
    const request = { clientReference: 'live-1', domain: 'live.com' };
    expect(await live.issueAuthCode(request)).toMatchObject({ status: 'refused' });
    expect(await live.findTransfer('live.com')).toBeUndefined();
  });
});
