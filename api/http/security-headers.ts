import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The headers of helmet. They are the same for every answer, so it is asked for them once. */
export function securityHeaders(): RequestHandler {
  const headers = new Map<string, string>();
  const collector = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  };
  helmet()({} as IncomingMessage, collector as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}
