import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  canonicalString,
  computeSignature,
  isValidSignature,
} from '../../shared/people/partners/request-signature.ts';
import { codeBlocksOf, sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const examples = sectionsOf(readProjectFile('docs/signing.md')).filter(({ title }) =>
  title.startsWith('Worked example'),
);

describe('docs/signing.md', () => {
  it('has worked examples with and without a body', () => {
    expect(examples.map(({ title }) => title)).toEqual([
      'Worked example: a GET',
      'Worked example: a POST',
    ]);
  });

  it.each(examples)('$title: the printed strings match what the server computes', ({ text }) => {
    const part = Object.fromEntries(
      tableOf(text).map(({ Part = '', Value = '' }) => [Part, literal(Value)]),
    );
    const [printed = '', header = ''] = codeBlocksOf(text);
    const body = Buffer.from(part.Body ?? '');
    const canonical = canonicalString({
      method: part.Method ?? '',
      path: part.Path ?? '',
      query: part['Query as sent'] ?? '',
      timestamp: part.Timestamp ?? '',
      nonce: part.Nonce ?? '',
      body,
    });
    expect(printed).toBe(canonical);
    expect(printed.split('\n').at(-1)).toBe(createHash('sha256').update(body).digest('hex'));
    const signature = header.replace(/^X-Service-Signature: /, '');
    expect(signature).toBe(`v1=${computeSignature(part.Secret ?? '', canonical)}`);
    expect(isValidSignature(part.Secret ?? '', canonical, signature)).toBe(true);
  });
});

/** The text between backticks; `none` has no backticks and is empty. */
function literal(cell: string): string {
  return /^`(.*)`$/.exec(cell)?.[1] ?? '';
}
