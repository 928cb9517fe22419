import type { Response } from 'express';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { toServiceError } from '../../http/error-response.ts';

const LABELS: Readonly<Record<string, string>> = {
  '/email': 'Email address',
  '/password': 'Password',
  '/company': 'Company',
  '/code': 'The code',
  '/scopes': 'Scopes',
  '/allowed_ips': 'Allowed addresses',
  '/domains': 'Domains',
  '/nameservers': 'The nameservers',
  '/price': 'The price',
  '/floor': 'The lowest offer',
  '/floor_price_cents': 'The lowest offer',
  '/currency': 'The currency',
  '/record': 'The DS record',
  '/key_tag': 'The key tag',
  '/algorithm': 'The algorithm',
  '/digest_type': 'The digest type',
  '/digest': 'The digest',
  '/add': 'Tags to add',
  '/remove': 'Tags to remove',
  '/params': 'The change',
  '/present': 'Current password',
  '/url': 'Address',
  '/name': 'Name',
  '/headers': 'Custom headers',
  '/accent_color': 'The color',
  '/logo_url': 'The logo',
  '/support_url': 'The help page',
  '/support_email': 'The support address',
  '/terms_url': 'The terms',
};

/**
 * Returns a form's error message, and sets the status. Rethrows server faults and links that no longer work.
 * @throws those
 */
export function refusalOf(thrown: unknown, res: Response): string {
  const error = toServiceError(thrown);
  if (error.status >= 500 || error.status === 404) throw thrown;
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res.status(error.status);
  if (error.code !== 'validation_error') return error.message;
  const faults = (error.details ?? []) as FieldError[];
  return faults.map(({ path, message }) => `${labelOf(path)} ${message}.`).join(' ');
}

function labelOf(given: string): string {
  const path = given.replace(/^\/params(?=\/)/, '');
  const [, ofSigner] = /^\/signers\/\d+(\/.+)$/.exec(path) ?? [];
  if (ofSigner !== undefined) return labelOf(ofSigner);
  const [, host] = /^\/nameservers\/(\d+)$/.exec(path) ?? [];
  if (host !== undefined) return `Nameserver ${Number(host) + 1}`;
  if (path.startsWith('/headers/')) return `Header “${path.slice('/headers/'.length)}”`;
  return LABELS[path] ?? path;
}
