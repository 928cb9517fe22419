import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskEmail } from '../../../shared/sales/referral/affiliate-report.ts';

describe('masking an email address', () => {
  it.each([
    ['jane@example.com', 'j***@e***.com'],
    ['j@e.com', 'j***@e***.com'],
    ['jane.doe+tag@mail.example.co.uk', 'j***@m***.uk'],
    ['jane@localhost', 'j***@l***'],
    ['', '***@***'],
  ])('turns %s into %s', (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });

  it('reveals at most two letters and the top-level domain', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        const [, domain = ''] = email.split('@');
        expect(maskEmail(email)).toHaveLength(
          '***@***.'.length + 2 + (domain.split('.').at(-1) ?? '').length,
        );
      }),
    );
  });
});
