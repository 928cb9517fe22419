import { domainToASCII } from 'node:url';

/**
 * Returns how to write an email address whose domain is internationalized: `ada@xn--mller-kva.de` for
 * `ada@müller.de`. Undefined if its domain has only ASCII characters, or if other parts are wrong.
 */
export function withAsciiDomain(address: string): string | undefined {
  const [, local = '', domain = ''] =
    /^([\x21-\x3f\x41-\x7e]{1,64})@([^@\s]+)$/.exec(address) ?? [];
  const ascii = domainToASCII(domain);
  const isPlain = /^[\x21-\x7e]*$/.test(domain);
  return isPlain || ascii === '' ? undefined : `${local}@${ascii}`;
}
