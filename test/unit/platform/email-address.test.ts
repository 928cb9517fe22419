import { describe, expect, it } from '@jest/globals';
import { readBuyer } from '../../../api/pages/checkout/payment-form.ts';
import { canonicalEmail } from '../../../shared/people/users/user.ts';
import { withAsciiDomain } from '../../../shared/platform/email-address.ts';

describe('an address at an internationalized domain', () => {
  it.each([
    ['ada@müller.de', 'ada@xn--mller-kva.de'],
    ['Ada+shop@例え.jp', 'Ada+shop@xn--r8jz45g.jp'],
    ['ada@MÜLLER.de', 'ada@xn--mller-kva.de'],
    ['ada@example.com', undefined],
    ['ada@xn--mller-kva.de', undefined],
    ['jürgen@müller.de', undefined],
    ['ada@mül ler.de', undefined],
    ['a@b@müller.de', undefined],
    ['@müller.de', undefined],
    ['müller.de', undefined],
  ])('%s is written as %s', (typed, written) => {
    expect(withAsciiDomain(typed)).toBe(written);
  });

  it('is refused with the address to write instead', () => {
    const form = { email: 'ada@müller.de', name: 'Ada', country: 'DE' };
    expect(readBuyer(form).errors).toEqual({ email: 'Enter it as ada@xn--mller-kva.de.' });
    expect(readBuyer({ ...form, email: 'ada@xn--mller-kva.de' }).errors).toEqual({});
    expect(() => canonicalEmail('ada@müller.de')).toThrow(
      expect.objectContaining({
        details: [{ path: '/email', message: 'must be written as ada@xn--mller-kva.de' }],
      }),
    );
  });
});
