import type { ErrorRequestHandler } from 'express';
import type { ServiceError } from '../../shared/platform/errors.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { toServiceError } from '../http/error-response.ts';
import { EXPIRED, noticePage } from '../pages/sign-in/layout.ts';
import { isSessionNotFound } from './fault.ts';

/** What went wrong on the way through the pages, as a page; what is our fault is logged as everywhere else. */
export function refusedPage({ log }: Runtime): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    if (res.headersSent) return next(thrown);
    if (isSessionNotFound(thrown)) {
      res.status(400).type('html').send(noticePage(EXPIRED.title, EXPIRED.text));
      return;
    }
    const error = toServiceError(thrown);
    if (error.status >= 500) {
      log.error(
        { err: error.cause ?? error, request_id: res.locals.requestId, method: req.method },
        'sign-in page failed',
      );
    }
    if (error.retryAfterSeconds !== undefined) {
      res.set('Retry-After', String(error.retryAfterSeconds));
    }
    const page = noticePage('That did not work', wordsFor(error));
    res.status(error.status).type('html').send(page);
  };
}

function wordsFor({ status, retryAfterSeconds }: ServiceError): string {
  if (status === 429) {
    return `Too many requests come from your network. Please wait ${retryAfterSeconds} seconds, then go back to the app and start again.`;
  }
  return status >= 500
    ? 'Something went wrong on our side. Please try again in a minute.'
    : 'The request could not be taken. Go back to the app and start again.';
}
