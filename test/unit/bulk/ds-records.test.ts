import { describe, expect, it } from '@jest/globals';
import { readDsRecord } from '../../../shared/domains/registrar/delegation-signers.ts';

/** From the example in RFC 4034, section 5.4. */
const PARTS = {
  key_tag: 60_485,
  algorithm: 13,
  digest_type: 2,
  digest: 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A',
};
const { digest } = PARTS;

describe('pasting a DS record', () => {
  it.each([
    [`oakdeck.com. IN DS 60485 13 2 ${digest}`, 'oakdeck.com'],
    [`oakdeck.com. 3600 IN DS 60485 13 2 ${digest}`, 'oakdeck.com'],
    [`OAKDECK.COM. IN 86400 ds 60485 13 2 ${digest} ; key of June`, 'oakdeck.com'],
    [
      `oakdeck.com.\t86400\tIN\tDS\t60485 13 2 (\n  ${digest.slice(0, 56)}\n  ${digest.slice(56)} )`,
      'oakdeck.com',
    ],
    [`münchen.de. DS 60485 13 2 ${digest}`, 'xn--mnchen-3ya.de'],
    [`60485 13 2 ${digest}`, null],
    [`  60485  13  2  ${digest.slice(0, 32)} ${digest.slice(32)}\n`, null],
  ])('parses %j', (text, owner) => {
    expect(readDsRecord(text)).toEqual({ owner, ...PARTS });
  });

  it.each([
    '',
    'DS',
    '60485 13 2',
    `oakdeck.com. IN DNSKEY 257 3 13 ${digest}`,
    `1 2 3 ${digest}x`,
  ])('rejects %j', (text) => {
    expect(readDsRecord(text)).toBeUndefined();
  });
});
