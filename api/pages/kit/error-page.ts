import type { ErrorRequestHandler, Response } from 'express';
import type { ServiceError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/observability/logger.ts';
import { prepareErrorResponse } from '../../http/error-response.ts';

/** What a page says of an error: what happened, then what to do. */
export interface ErrorWords {
  title: string;
  text: string;
}

/** What is said of a status where a page has nothing better to say. */
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

/** The words for a status; those of 400 and 500 stand for what is not in the table. */
export function errorWords(status: number): ErrorWords {
  const words = WORDS[status] ?? WORDS[status < 500 ? 400 : 500];
  return words ?? { title: 'Error', text: '' };
}

/** A refusal whose words are known where it is thrown, such as a link that has expired. */
export class PageError extends Error {
  readonly status: number;
  readonly words: ErrorWords;

  constructor(status: number, words: ErrorWords) {
    super(words.title);
    this.status = status;
    this.words = words;
  }
}

/** How a group of pages shows what went wrong. */
export interface ErrorPages {
  log: Logger;
  /** What these pages say in place of the usual words; undefined leaves those. */
  words?(error: ServiceError): ErrorWords | undefined;
  /** A library's error as one with words. */
  translate?(thrown: unknown): PageError | undefined;
  /** The page; `error` is undefined for a {@link PageError}. */
  render(words: ErrorWords, res: Response, error: ServiceError | undefined): string;
}

/** Answers whatever was thrown on the way to a page with a page. A fault of ours is logged as everywhere else. */
export function errorPage({ log, words, translate, render }: ErrorPages): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const refusal = thrown instanceof PageError ? thrown : translate?.(thrown);
    if (refusal && !res.headersSent) {
      res
        .status(refusal.status)
        .type('html')
        .send(render(refusal.words, res, undefined));
      return;
    }
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const said = words?.(error) ?? errorWords(error.status);
    res
      .status(error.status)
      .type('html')
      .send(render(said, res, error));
  };
}
