import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  classifyAddress,
  inspectTarget,
  isAllowedAddress,
} from '../../../shared/platform/outbound/address-guard.ts';
import { describeForbiddenTarget } from '../../../shared/platform/outbound/http-client.ts';

const LIVE = { allowPrivate: false, requireHttps: true };
const DEVELOPMENT = { allowPrivate: true, requireHttps: false };

describe('address classes', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '169.253.255.255',
    '223.255.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => {
    expect(classifyAddress(address)).toBe('public');
  });

  it.each([
    '127.0.0.1',
    '127.255.255.255',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fc00::1',
    'fdff:ffff::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.1.2.3',
  ])('%s is private', (address) => {
    expect(classifyAddress(address)).toBe('private');
  });

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['link-local and metadata', '169.254.169.254'],
    ['link-local', '169.254.0.1'],
    ['metadata as mapped IPv6', '::ffff:169.254.169.254'],
    ['metadata as mapped IPv6 in hex', '::ffff:a9fe:a9fe'],
    ['metadata over IPv6', 'fd00:ec2::254'],
    ['metadata over IPv6', 'fd20:ce::254'],
    ['a host service at a public-looking address', '168.63.129.16'],
    ['metadata in the shared range', '100.100.100.200'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b::169.254.169.254'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['not an address', 'localhost'],
    ['not an address', '127.1'],
    ['not an address', ''],
  ])('%s: %s is never allowed', (_why, address) => {
    expect(classifyAddress(address)).toBe('forbidden');
    expect(isAllowedAddress(address, true)).toBe(false);
  });

  it('gives an IPv4 address and its mapped IPv6 form the same class', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(classifyAddress(`::ffff:${address}`)).toBe(classifyAddress(address));
      }),
    );
  });

  it('treats only global unicast as public IPv6', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), (head) => {
        const address = `${head.toString(16)}:1234:5678::1`;
        const isGlobal = head >= 0x2000 && head <= 0x3fff;
        if (!isGlobal) expect(classifyAddress(address)).not.toBe('public');
      }),
    );
  });
});

describe('checking request targets', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://127.0.0.1:8080/',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:0001]/',
    'http://10.0.0.1/',
    'http://[fd12:3456::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://api.localhost/',
    'http://redis:80/',
    'http://printer.local/',
    'http://vault.prod.internal/',
  ])('refuses %s unless private targets are allowed', (url) => {
    const rules = { allowPrivate: false, requireHttps: false };
    expect(inspectTarget(url, rules)).toMatchObject({ refused: 'refused_address' });
    expect(inspectTarget(url, DEVELOPMENT)).toHaveProperty('url');
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://0.0.0.0/',
    'http://0/',
    'http://[::]/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
  ])('refuses %s even where private targets are allowed', (url) => {
    expect(inspectTarget(url, DEVELOPMENT)).toMatchObject({ refused: 'refused_address' });
  });

  it.each([
    ['', 'must be an absolute http or https URL'],
    ['hooks.example.com/in', 'must be an absolute http or https URL'],
    ['//hooks.example.com/in', 'must be an absolute http or https URL'],
    ['https://', 'must be an absolute http or https URL'],
    ['https://a..example.com/', 'must have a valid host name'],
    ['ftp://hooks.example.com/', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['http://hooks.example.com/', 'must start with https://'],
    ['https://user@hooks.example.com/', 'must not contain a user name or password'],
    ['https://user:secret@hooks.example.com/', 'must not contain a user name or password'],
    ['https://:secret@hooks.example.com/', 'must not contain a user name or password'],
    ['https://hooks.example.com/a b', 'must not contain spaces or control characters'],
    [' https://hooks.example.com/', 'must not contain spaces or control characters'],
    ['https://hooks.exa\nmple.com/', 'must not contain spaces or control characters'],
    ['https://hooks.example.com/\0', 'must not contain spaces or control characters'],
    [
      'https://hooks.example.com:25/',
      'must not use port 25, which belongs to another kind of service',
    ],
    [
      'https://hooks.example.com:6379/',
      'must not use port 6379, which belongs to another kind of service',
    ],
    [
      'https://hooks.example.com:0/',
      'must not use port 0, which belongs to another kind of service',
    ],
    ['https://redis/', 'must use a public host name, not one of a local network'],
    ['https://[::1]/', 'must not point to a private, loopback, link-local or reserved address'],
  ])('says what is wrong with %j', (url, message) => {
    expect(describeForbiddenTarget(url, LIVE)).toBe(message);
  });

  it.each([
    'https://hooks.example.com/in?tenant=1',
    'https://hooks.example.com:8443/',
    'https://hooks.example.com:9/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://bücher.example/',
    'HTTPS://Hooks.Example.COM./',
  ])('finds nothing wrong with %s', (url) => {
    expect(describeForbiddenTarget(url, LIVE)).toBeNull();
  });

  it('judges any string without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (url) => {
        const verdict = describeForbiddenTarget(url, LIVE);
        expect(verdict === null || verdict.length > 0).toBe(true);
      }),
    );
  });
});
