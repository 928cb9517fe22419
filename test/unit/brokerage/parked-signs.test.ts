import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isParkingHost,
  parkedSign,
  readPage,
} from '../../../shared/sales/brokerage/parked-page.ts';
import { quickEnough } from '../../support/quick-enough.ts';

const sign = (html: string) => parkedSign(readPage(html));

const ARTICLE = 'We bake bread every morning, and we deliver it by bicycle. '.repeat(30);
const page = (head: string, body: string) =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

describe('a parked page', () => {
  it.each([
    ['says so in its title', page('<title>wanted.com is for sale</title>', ARTICLE)],
    [
      'says so in its description',
      page('<meta name="description" content="This domain may be for sale!">', ARTICLE),
    ],
    ['says so in its text', page('<title>wanted.com</title>', '<h1>Buy this domain</h1>')],
    ['says so in another language', page('', '<p>Diese Domain steht zum Verkauf</p>')],
    ['says who parked it', page('', 'This domain has been registered with a registrar.')],
  ])('%s', (_how, html) => {
    expect(sign(html)).toBe('for_sale');
  });

  it.each([
    ['a script', page('<script src="//parking.bodiscdn.com/main.js"></script>', ARTICLE)],
    ['a frame', page('', '<frameset><frame src="https://www.sedo.com/park?d=x"></frameset>')],
    ['a refresh', page('<meta http-equiv="refresh" content="0;url=https://dan.com/buy/x">', '')],
    ['a link on a bare page', page('', '<a href="https://www.afternic.com/x">wanted.com</a>')],
  ])('is recognized by %s of a parking company', (_how, html) => {
    expect(sign(html)).toBe('parking_host');
  });

  it('is recognized by its redirect to a landing page', () => {
    expect(sign('<script>window.onload=function(){window.location.href="/lander"}</script>')).toBe(
      'lander',
    );
  });

  it.each([
    '<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>',
    '<title>Apache2 Ubuntu Default Page: It works</title>',
    '<html><body><h1>It works!</h1></body></html>',
    '<title>Index of /</title><h1>Index of /</h1>',
    '<h1>Coming soon</h1><p>We are working on it.</p>',
    '<p>Future home of something quite cool.</p>',
  ])('may be a default page: %s', (html) => {
    expect(sign(html)).toBe('placeholder');
  });

  it.each(['', '<html></html>', '<!-- nothing --> ', '<p>ok</p>', '<style>p{}</style>wanted.com'])(
    'may be blank: %j',
    (html) => {
      expect(sign(html)).toBe('empty');
    },
  );
});

describe('a site that is not parked', () => {
  it.each([
    ['has something to read', page('<title>Bread</title>', ARTICLE)],
    ['is built by a script', page('<script src="/app.js" defer></script>', '<div id="app"></div>')],
    ['shows a picture', page('', '<img src="/logo.png">')],
    [
      'may write about domains for sale',
      page('<title>Domain news</title>', `${ARTICLE} Buy this domain, said the ad. ${ARTICLE}`),
    ],
    [
      'may link to a company that parks domains',
      page('<title>Links</title>', `${ARTICLE}<a href="https://sedo.com/">a marketplace</a>`),
    ],
    [
      'may hide words in comments',
      page('<title>Bread</title>', `<!-- buy this domain -->${ARTICLE}`),
    ],
    ['may sell houses', page('<title>Houses for sale</title>', ARTICLE)],
  ])('%s', (_what, html) => {
    expect(sign(html)).toBeNull();
  });
});

describe('a host', () => {
  it.each([
    ['ns1.sedoparking.com', true],
    ['SEDOPARKING.COM.', true],
    ['notsedoparking.com', false],
    ['sedoparking.com.evil.net', false],
    ['ns1.example.net', false],
  ])('%s is a parking host: %s', (host, parks) => {
    expect(isParkingHost(host)).toBe(parks);
  });
});

describe('reading a page', () => {
  it('returns the visible text, without scripts and styles', () => {
    const read = readPage(
      '<TITLE> A &amp; B </TITLE><style>x</style><p>One<br>two</p><script>three()</script> four',
    );
    expect(read.title).toBe('A &amp; B');
    expect(read.text).toBe('One two four');
    expect(read.scripts).toContain('three()');
  });

  it('keeps its position after letters whose lower case is longer', () => {
    expect(readPage('İİİİ<TITLE>here</TITLE>').title).toBe('here');
  });

  it('never throws, whatever the input', () => {
    const bits = fc.constantFrom(
      '<',
      '>',
      '</script',
      '<script',
      '<!--',
      '-->',
      '<title>',
      'a',
      '"',
    );
    fc.assert(
      fc.property(fc.array(bits), (parts) => {
        expect(readPage(parts.join('')).text.length).toBeLessThanOrEqual(
          parts.join('').length + parts.length,
        );
        sign(parts.join(''));
      }),
    );
  });

  it.each(['<script', '<script>', '<!--', '<', '<a ', '<title>', 'a.', '<meta a.'])(
    'takes no longer for 64 KiB of %j than for other pages',
    async (bit) => {
      const html = bit.repeat(Math.ceil(65_536 / bit.length));
      await quickEnough(1_000, () => sign(html));
    },
  );
});
