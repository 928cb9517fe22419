import type { ErrorRequestHandler, Response } from 'express';
import type { ServiceError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/observability/logger.ts';
import { prepareErrorResponse } from '../../http/error-response.ts';

/** The text of an error page: what happened, then what to do. */
export interface ErrorWords {
  title: string;
  text: string;
}

/** The default text for a status. */
const WORDS: Readonly<Record<number, ErrorWords>> = {
  400: {
    title: 'We couldn’t read this request',
    text: 'Nothing was changed. Go back and try again.',
  },
  401: { title: 'Sign in first', text: 'Your session has ended. Sign in and try again.' },
  403: { title: 'Not allowed', text: 'You don’t have access to this page.' },
  404: { title: 'Page not found', text: 'There is no page at this address.' },
  409: { title: 'Not possible right now', text: 'Reload the page to see where things stand.' },
  410: { title: 'This page is gone', text: 'It is no longer available.' },
  413: { title: 'Too much data', text: 'Nothing was changed. Go back and send less.' },
  422: { title: 'Not possible', text: 'Nothing was changed. Go back and check what you entered.' },
  429: { title: 'Too many attempts', text: 'Wait a minute, then go back and try again.' },
  500: {
    title: 'Something went wrong on our side',
    text: 'Try again in a minute.',
  },
  503: { title: 'Temporarily unavailable', text: 'Try again in a moment.' },
};

/** Returns the text for a status; statuses outside the table get the text of 400 or 500. */
export function errorWords(status: number): ErrorWords {
  const words = WORDS[status] ?? WORDS[status < 500 ? 400 : 500];
  return words ?? { title: 'Error', text: '' };
}

/** For a link whose token is wrong. */
export const INVALID_LINK: ErrorWords = {
  title: 'This link doesn’t work',
  text: 'It may be incomplete. Open it again from your email, or copy all of it into the address bar.',
};

/** A refusal whose text is known where it is thrown, such as an expired link. */
export class PageError extends Error {
  readonly status: number;
  readonly words: ErrorWords;

  constructor(status: number, words: ErrorWords) {
    super(words.title);
    this.status = status;
    this.words = words;
  }
}

/** How a group of pages shows errors. */
export interface ErrorPages {
  log: Logger;
  /** Returns text that replaces the default; undefined keeps the default. */
  words?(error: ServiceError): ErrorWords | undefined;
  /** Converts a library's error to a {@link PageError}. */
  translate?(thrown: unknown): PageError | undefined;
  /** Renders the page; `error` is undefined for a {@link PageError}. */
  render(
    words: ErrorWords,
    res: Response,
    error: ServiceError | undefined,
  ): string | Promise<string>;
}

/** Handles any error on a page with an error page. Server faults are logged as everywhere else. */
export function errorPage({ log, words, translate, render }: ErrorPages): ErrorRequestHandler {
  return async (thrown, req, res, _next) => {
    const refusal = thrown instanceof PageError ? thrown : translate?.(thrown);
    if (refusal && !res.headersSent) {
      res
        .status(refusal.status)
        .type('html')
        .send(await render(refusal.words, res, undefined));
      return;
    }
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const said = words?.(error) ?? errorWords(error.status);
    res
      .status(error.status)
      .type('html')
      .send(await render(said, res, error));
  };
}
