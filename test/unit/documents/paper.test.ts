import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  DocumentContent,
  IssuedDocument,
} from '../../../shared/messaging/documents/document.ts';
import { paperText } from '../../../shared/messaging/documents/paper/paper-text.ts';
import { PdfRenderer } from '../../../shared/messaging/documents/paper/pdf-renderer.ts';
import { using } from '../../support/machine-tools.ts';
import {
  canReadPdfs,
  faultsOfPdf,
  fontsOfPdf,
  marginsOfPdf,
  textOfPdf,
} from '../../support/pdf.ts';

let pdfs: PdfRenderer;
beforeAll(() => {
  pdfs = new PdfRenderer();
});
afterAll(() => pdfs.close());

const SELLER = {
  name: 'Example Domains Ltd',
  address: ['1 Market Street', '10115 Berlin'],
  country: 'DE',
  email: null,
  taxId: 'DE123456789',
};
const BUYER = {
  name: 'A. Buyer',
  address: [],
  country: 'FR',
  email: 'buyer@example.com',
  taxId: null,
};

function invoice(more: Partial<DocumentContent> = {}): IssuedDocument {
  return {
    id: 'doc_01m7yg4ev0e89rzq0ngjrt467r',
    kind: 'invoice',
    environment: 'LIVE',
    partnerId: 'ptr_01m7yg4ev0e89rzq0ngjrt467r',
    subject: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    number: 'INV-2026-000017',
    issuedAt: new Date('2026-11-22T09:30:00.000Z'),
    sha256: '',
    content: {
      from: SELLER,
      to: BUYER,
      currency: 'EUR',
      facts: [{ name: 'Order', value: 'ord_01m7yg4ev0e89rzq0ngjrt467r' }],
      lines: [{ text: 'Domain name oakdeck.com', detail: null, amountCents: 153_500 }],
      linesLeftOut: 0,
      subtotals: [],
      totalLabel: 'Total',
      totalCents: 153_500,
      tax: { label: 'VAT 20%', rateBps: 2_000, netCents: 127_917, taxCents: 25_583, note: null },
      notes: ['Paid in full. The price includes all taxes.'],
      ...more,
    },
  };
}

const named = (name: string) => invoice({ to: { ...BUYER, name } });
const { it: whenReadable } = using('pdftotext', 'qpdf');

describe('the PDF of a document', () => {
  whenReadable('contains everything in the document', async () => {
    const pdf = await pdfs.render(invoice());
    const text = textOfPdf(pdf);
    for (const part of [
      'Invoice',
      'INV-2026-000017',
      'Nov 22, 2026',
      'Example Domains Ltd',
      'Tax ID DE123456789',
      'Germany',
      'A. Buyer',
      'France',
      'ord_01m7yg4ev0e89rzq0ngjrt467r',
      'Domain name oakdeck.com',
      '€1,535.00',
      '€1,279.17',
      'VAT 20%',
      '€255.83',
      'Page 1 of 1',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('Test mode');
    expect(textOfPdf(await pdfs.render({ ...invoice(), environment: 'SANDBOX' }))).toContain(
      'Test mode',
    );
  });

  it('is byte-for-byte reproducible, even in another process', async () => {
    const other = new PdfRenderer();
    const [first, again, elsewhere] = [
      await pdfs.render(invoice()),
      await pdfs.render(invoice()),
      await other.render(invoice()),
    ];
    await other.close();
    expect(again.equals(first)).toBe(true);
    expect(elsewhere.equals(first)).toBe(true);
  });

  whenReadable('is valid PDF/A-3b with a color profile and all fonts embedded', async () => {
    const pdf = await pdfs.render(named('Żółć Γιώργος Шостакович 王小明 김철수'));
    expect(faultsOfPdf(pdf)).toBe('');
    const raw = pdf.toString('latin1');
    expect(raw).toMatch(/<pdfaid:part>3<\/pdfaid:part>/);
    expect(raw).toMatch(/<pdfaid:conformance>B<\/pdfaid:conformance>/);
    expect(raw).toContain('/OutputIntent');
    expect(raw).not.toMatch(/\/(JavaScript|Encrypt|Launch)\b/);
    const fonts = fontsOfPdf(pdf);
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) {
      expect(font).toMatchObject({ embedded: 'yes', subset: 'yes', unicode: 'yes' });
    }
  });

  const NAMES = {
    Latin: 'Łukasz Żółć-Ğøßé',
    Greek: 'Γιώργος Παπαδόπουλος',
    Cyrillic: 'Дмитрий Шостакович',
    Arabic: 'محمد بن سلمان',
    Hebrew: 'יוסי כהן',
    Devanagari: 'सत्यजित',
    Bengali: 'সত্যজিৎ',
    Tamil: 'பாரதி',
    Thai: 'สมชาย ใจดี',
    Georgian: 'გიორგი',
    Armenian: 'Հայկ',
    Ethiopic: 'አበበ',
    Chinese: '王小明',
    Japanese: 'さくら カタカナ 株式会社',
    Korean: '김철수 홍길동',
  };
  it.each(Object.entries(NAMES))('has glyphs for names in %s', (_script, name) => {
    expect(paperText(name)).toBe(name);
  });
  whenReadable('lets names be copied as text', async () => {
    // Text extraction is unreliable where marks merge with letters, as in Thai and Devanagari.
    const { Devanagari, Bengali, Tamil, Thai, ...copied } = NAMES;
    const lines = Object.values(copied).map((text) => ({ text, detail: null, amountCents: 0 }));
    const text = textOfPdf(await pdfs.render(invoice({ lines }))).replace(/\p{Bidi_Control}/gu, '');
    for (const name of Object.values(copied)) expect(text).toContain(name);
  });

  it('renders hostile names as plain text, without markup or bidi controls', async () => {
    expect(paperText('evil\u202egpj.exe\u202c')).toBe('evilgpj.exe');
    expect(paperText('a\r\nBcc: b\u0000\u0007\u2028c')).toBe('a Bcc: b c');
    expect(paperText('pay\u200b\u2060\ufeff\u00adpal')).toBe('paypal');
    expect(paperText(`z${'\u0301'.repeat(500)}`)).toBe(`\u017a\u0301\u0301\u0301`);
    expect(paperText('smile 😀😀\u{13000}')).toBe('smile \ufffd');
    expect(paperText('\u05b9 a\u05b9b 😀\u05b9😀 שׁ')).toBe(' ab \ufffd שׁ');
    expect([...paperText('x y '.repeat(1_000))].length).toBeLessThanOrEqual(200);
    const name = '#eval("1+1") $x$ *bold* `raw` <label> @ref \\u{41} // /* #image("/etc/passwd")';
    const pdf = await pdfs.render(named(name));
    if (canReadPdfs)
      expect(textOfPdf(pdf).replace(/\s+/g, ' ')).toContain('#eval("1+1") $x$ *bold*');
  });

  whenReadable('keeps long ids and endless words within its margins', async () => {
    const id = 'ord_01m84anga5e7dvn1bvrwvc0sat';
    const word = 'W'.repeat(200);
    const pdf = await pdfs.render(
      invoice({
        to: { ...BUYER, name: word },
        facts: [
          { name: 'Corrects invoice', value: 'TEST-INV-2026-000003 of Nov 23, 2026' },
          { name: 'Order', value: id },
        ],
        lines: [{ text: word, detail: word, amountCents: 999_999_999_999 }],
      }),
    );
    expect(textOfPdf(pdf)).toContain(id);
    const { left, right } = marginsOfPdf(pdf);
    expect(left).toBeGreaterThan(21.9);
    expect(right).toBeGreaterThan(21.9);
  });

  it('can be made from any text', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const anyDocument = fc.record({ name: text, line: text, value: text });
    await fc.assert(
      fc.asyncProperty(anyDocument, async ({ name, line, value }) => {
        const pdf = await pdfs.render(
          invoice({
            to: { ...BUYER, name, address: [value] },
            facts: [{ name: 'Order', value }],
            lines: [{ text: line, detail: value, amountCents: 1 }],
          }),
        );
        expect(pdf.subarray(0, 8).toString()).toBe('%PDF-1.7');
      }),
      { numRuns: 60 },
    );
  });

  it('falls back to common letters for text that crashes the library', async () => {
    const poison = { name: '\ufffd\u05b9\ufffd', value: 'Ada' };
    const pdf = pdfs.render(invoice({ facts: [poison] }));
    const next = await pdfs.render(invoice());
    expect((await pdfs.render(invoice())).equals(next)).toBe(true);
    const text = canReadPdfs ? textOfPdf(await pdf) : 'Ada';
    expect(text).toContain('Ada');
    expect(text).not.toContain('\u05b9');
    const again = await pdfs.render(invoice({ facts: [poison] }));
    expect(again.equals(await pdf)).toBe(true);
  });

  whenReadable('spans pages and says how many lines it leaves out', async () => {
    const lines = Array.from({ length: 500 }, (_, at) => ({
      text: `name-${at}.example`,
      detail: 'Delivered Nov 3, 2026: price $10.00, commission $1.50',
      amountCents: 850,
    }));
    const text = textOfPdf(await pdfs.render(invoice({ lines, linesLeftOut: 1_200 })));
    expect(text).toContain('name-0.example');
    expect(text).toContain('name-499.example');
    expect(text).toContain('1,200 more lines are in the totals.');
    expect(text).toMatch(/Page 12 of \d\d/);
  });
});
