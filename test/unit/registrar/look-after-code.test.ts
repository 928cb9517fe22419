import { describe, expect, it } from '@jest/globals';
import {
  type CodeThatIsOut,
  lookAfterCode,
} from '../../../shared/domains/registrar/look-after-code.ts';
import type { Registrar, TransferAway } from '../../../shared/domains/registrar/registrar.ts';
import { addMs } from '../../../shared/platform/clock.ts';

const SINCE = new Date('2026-11-20T12:00:00Z');
const asked = { requestedBy: 'gaining', requestedAt: SINCE, actionAt: null };

/** A registrar that another registrar has asked for the domain. */
function askedFor() {
  const answers: string[] = [];
  const registrar = {
    findTransfer: async (): Promise<TransferAway> => ({ ...asked, status: 'pending' }),
    inspect: async () => [{}],
    async answerTransfer({ answer }: { answer: 'approve' | 'reject' }): Promise<TransferAway> {
      answers.push(answer);
      return { ...asked, status: answer === 'approve' ? 'approved' : 'rejected' };
    },
    clearAuthCode: async () => ({ status: 'done' }),
  } as unknown as Registrar;
  const look = (code: Partial<CodeThatIsOut>) =>
    lookAfterCode(registrar, {
      domain: 'oakdeck.com',
      references: ['code-2', 'code-1'],
      since: SINCE,
      gainingRegistrar: 'gaining',
      isWanted: true,
      endsAt: null,
      isOver: false,
      ...code,
    });
  return { answers, look };
}

describe("another registrar's request for a domain with an issued code", () => {
  it('is approved while the code is valid', async () => {
    const { answers, look } = askedFor();
    expect(await look({})).toMatchObject({ found: 'approved', requestedBy: 'gaining' });
    expect(answers).toEqual(['approve']);
  });

  it('waits until the code is known to be out, and is rejected if it never will be', async () => {
    const { answers, look } = askedFor();
    expect(await look({ isWanted: false })).toMatchObject({ found: 'waiting' });
    expect(answers).toEqual([]);
    expect(await look({ isWanted: false, isOver: true })).toMatchObject({ found: 'cleared' });
    expect(answers).toEqual(['reject']);
  });

  it.each([
    ['in time', 0, 'approve'],
    ['too late', -1, 'reject'],
  ])('is answered according to when it was made: %s', async (_when, ms, answer) => {
    const { answers, look } = askedFor();
    await look({ endsAt: addMs(SINCE, ms), isOver: true });
    expect(answers).toEqual([answer]);
  });

  it.each([true, false])(
    'is rejected if the sale names another registrar, with the code out: %s',
    async (isWanted) => {
      const { answers, look } = askedFor();
      expect(await look({ isWanted, gainingRegistrar: 'other' })).toMatchObject({
        found: 'waiting',
      });
      expect(answers).toEqual(['reject']);
    },
  );
});
