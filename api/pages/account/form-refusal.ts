import type { Response } from 'express';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { toServiceError } from '../../http/error-response.ts';

const LABELS: Readonly<Record<string, string>> = {
  '/email': 'E-mail address',
  '/password': 'Password',
  '/company': 'Company',
  '/code': 'The code',
  '/scopes': 'Scopes',
  '/allowed_ips': 'Allowed addresses',
  '/present': 'Current password',
  '/url': 'Address',
  '/name': 'Name',
  '/headers': 'Own headers',
  '/accent_color': 'The color',
  '/logo_url': 'The logo',
  '/support_url': 'The help page',
  '/support_email': 'The support address',
  '/terms_url': 'The terms',
};

/**
 * What a form says of its refusal, with the status set; what is our fault, and links that no longer work, go the way
 * of all errors. @throws these
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

function labelOf(path: string): string {
  if (path.startsWith('/headers/')) return `Header “${path.slice('/headers/'.length)}”`;
  return LABELS[path] ?? path;
}
