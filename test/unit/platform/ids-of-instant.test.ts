import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { derivedId, idRangeAt, isId, newId } from '../../../shared/platform/ids.ts';

const instants = fc.date({
  min: new Date(0),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('the id range of an instant', () => {
  it('includes exactly the ids created in that millisecond', () => {
    fc.assert(
      fc.property(instants, fc.string(), (at, name) => {
        const { first, last } = idRangeAt('event', at);
        expect(isId('event', first) && isId('event', last)).toBe(true);
        for (const id of [newId('event', at), derivedId('event', at, name)]) {
          expect(first <= id && id <= last).toBe(true);
        }
        expect(newId('event', new Date(at.getTime() + 1)) > last).toBe(true);
        if (at.getTime() > 0) {
          expect(newId('event', new Date(at.getTime() - 1)) < first).toBe(true);
        }
      }),
    );
  });
});
