import type { ErrorRequestHandler } from 'express';
import type { ServiceError } from '../../shared/platform/errors.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { prepareErrorResponse } from '../http/error-response.ts';
import { EXPIRED, signInNotice } from '../pages/sign-in/layout.ts';
import { isSessionNotFound } from './fault.ts';

/** What went wrong on the way through the pages, as a page; what is our fault is logged as everywhere else. */
export function oauthErrorPage({ log }: Runtime): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    if (isSessionNotFound(thrown) && !res.headersSent) {
      res.status(400).type('html').send(signInNotice(EXPIRED.title, EXPIRED.text));
      return;
    }
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const page = signInNotice('That did not work', requestErrorText(error));
    res.status(error.status).type('html').send(page);
  };
}

function requestErrorText({ status, retryAfterSeconds }: ServiceError): string {
  if (status === 429) {
    return `Too many requests come from your network. Please wait ${retryAfterSeconds} seconds, then go back to the app and start again.`;
  }
  return status >= 500
    ? 'Something went wrong on our side. Please try again in a minute.'
    : 'The request could not be taken. Go back to the app and start again.';
}
