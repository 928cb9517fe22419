import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import {
  packTarget,
  targetUrl,
  unpackTarget,
} from '../../../shared/sales/referral/referral-link.ts';

const configWith = (env: Record<string, string> = {}) =>
  loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://x',
    REDIS_URL: 'redis://x',
    BASE_URL: 'https://market.example',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    ...env,
  });
const link = (more: object) => ({
  id: 'lnk_1',
  environment: 'LIVE' as const,
  kind: 'generic' as const,
  domain: null,
  product: null,
  ...more,
});

describe('the target of a referral link', () => {
  it('is the landing page unless configured', () => {
    const config = configWith();
    expect(targetUrl(config, link({}))).toBe('https://market.example/');
    const domain = link({ kind: 'domain', domain: 'neonwallet.com' });
    expect(targetUrl(config, domain)).toBe('https://market.example/');
    const product = link({ kind: 'product', product: 'hosting/pro' });
    expect(targetUrl(config, product)).toBe('https://market.example/');
    const REFERRAL_LANDING_URL = 'https://shop.example/welcome';
    expect(targetUrl(configWith({ REFERRAL_LANDING_URL }), domain)).toBe(REFERRAL_LANDING_URL);
  });

  it('follows the configured URLs', () => {
    const config = configWith({
      REFERRAL_LANDING_URL: 'https://shop.example/welcome',
      REFERRAL_DOMAIN_URL: 'https://shop.example/buy?name={domain}',
      REFERRAL_PRODUCT_URL: 'https://shop.example/p/{product}#top',
    });
    expect(targetUrl(config, link({}))).toBe('https://shop.example/welcome');
    expect(targetUrl(config, link({ kind: 'domain', domain: 'a.com' }))).toBe(
      'https://shop.example/buy?name=a.com',
    );
    expect(targetUrl(config, link({ kind: 'product', product: 'x y' }))).toBe(
      'https://shop.example/p/x%20y#top',
    );
  });

  it.each([
    ['REFERRAL_LANDING_URL', 'javascript:alert(1)'],
    ['REFERRAL_LANDING_URL', 'https://shop.example'],
    ['REFERRAL_DOMAIN_URL', 'https://{domain}/'],
    ['REFERRAL_DOMAIN_URL', 'https://shop.example/'],
    ['REFERRAL_PRODUCT_URL', 'https://shop.example{product}'],
  ])('cannot be configured as %s=%s', (name, value) => {
    expect(() => configWith({ [name]: value })).toThrow(name);
  });

  it("never leaves our host, whatever the product's name", () => {
    const config = configWith();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (product) => {
        const url = new URL(targetUrl(config, link({ kind: 'product', product })));
        expect(url.origin).toBe('https://market.example');
        expect(url.pathname.startsWith('/')).toBe(true);
      }),
    );
  });

  it('survives a round trip through Redis', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (product) => {
        const target = link({ kind: 'product', product });
        expect(unpackTarget(packTarget(target))).toEqual(target);
      }),
    );
  });
});
