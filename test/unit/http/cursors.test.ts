import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  BY_ID,
  BY_NUMBER,
  BY_TIME,
  createCursors,
  type PositionFormat,
} from '../../../api/http/pagination.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createSignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';

const tokens = createSignedTokens(Buffer.alloc(32, 1), systemClock);
const filters = ['orders', { status: 'COMPLETED' }];
const at = new Date('2026-11-20T09:30:00.000Z');

/** The claims of cursors since the first version. */
const claims = (place: readonly (string | number)[]) => ({
  p: place,
  f: createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 22),
});

const EVERY: [string, PositionFormat<never>, unknown, (string | number)[]][] = [
  ['by id', BY_ID as PositionFormat<never>, 'ord_1', ['ord_1']],
  ['by number', BY_NUMBER as PositionFormat<never>, 0, [0]],
  ['by time', BY_TIME as PositionFormat<never>, { createdAt: at, id: 'a' }, [at.getTime(), 'a']],
];

describe('a pagination cursor', () => {
  it.each(EVERY)(
    '%s has the same format as cursors that callers already have',
    async (_name, format, position, place) => {
      const cursors = createCursors(tokens).of(filters, format);
      const written = await cursors.write(position as never);
      expect(await tokens.verify('cursor', written ?? '')).toMatchObject(claims(place));
      expect(await cursors.read(await tokens.sign('cursor', claims(place)))).toEqual(position);
    },
  );

  it('is valid only for its own filters', async () => {
    const cursor = (await createCursors(tokens).of(filters, BY_ID).write('ord_1')) ?? '';
    const others = createCursors(tokens).of(['orders', {}], BY_ID);
    await expect(others.read(cursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is valid only for its own partner and environment', async () => {
    const cursors = createCursors(tokens);
    const of = (partnerId: string, environment: 'LIVE' | 'SANDBOX') =>
      cursors.ofPartner({ partnerId, environment }, filters, BY_ID);
    const cursor = (await of('ptr_1', 'LIVE').write('ord_1')) ?? '';
    expect(await of('ptr_1', 'LIVE').read(cursor)).toBe('ord_1');
    for (const other of [of('ptr_2', 'LIVE'), of('ptr_1', 'SANDBOX')]) {
      await expect(other.read(cursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it('does not exist before the first page or after the last', async () => {
    const cursors = createCursors(tokens).of(filters, BY_ID);
    expect([await cursors.read(undefined), await cursors.write(null)]).toEqual([null, null]);
  });
});
