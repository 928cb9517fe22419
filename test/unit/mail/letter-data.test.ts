import { describe, expect, it } from '@jest/globals';
import { parseDomain } from '../../../shared/market/names/domain-name.ts';
import { domainInLetter, domainInSubject } from '../../../shared/messaging/mail/letter-data.ts';

const asciiOf = (name: string) => parseDomain(name).ascii;

describe('a domain in an email', () => {
  it.each(['example.com', 'münchen.de', 'пример.com', 'аррӏе.рф', '例え.jp', 'ελλάδα.gr'])(
    'has its own letters in the subject: %s',
    (name) => {
      expect(domainInSubject(asciiOf(name))).toBe(name);
    },
  );

  it.each(['аррӏе.com', 'сосо-24.co.uk', 'νικο.com', 'հօս.com'])(
    'is an A-label in the subject if it reads like a Latin name, and both in the letter: %s',
    (name) => {
      const ascii = asciiOf(name);
      expect(domainInSubject(ascii)).toBe(ascii);
      expect(domainInLetter(ascii)).toBe(`${name} (${ascii})`);
    },
  );

  it('does not turn the subject around if it is written from right to left', () => {
    expect(domainInSubject(asciiOf('مثال.com'))).toBe('\u2068مثال.com\u2069');
  });

  it('is shown unchanged if it has no Unicode spelling', () => {
    expect(domainInSubject('xn--a.com')).toBe('xn--a.com');
    expect(domainInLetter('xn--a.com')).toBe('xn--a.com');
  });
});
