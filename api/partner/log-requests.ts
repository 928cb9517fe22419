import type { Response } from 'express';
import type { ApiServices } from '../compose-api.ts';
import type { Step } from '../http/middleware.ts';

/** What authentication learns about a request, for the partner's request log. */
export interface RequestNotes {
  /** Whether its signature is valid. */
  verified: boolean;
  /** The canonical string that we expected, if the signature is invalid. */
  expected: string | null;
}

/** Returns the notes on the request of `res`. */
export function notesOf(res: Response): RequestNotes {
  return res.locals.requestNotes;
}

/** Adds every request that names a key to its partner's request log, once the response is sent. */
export function logPartnerRequests({
  requestLog,
  clock,
}: Pick<ApiServices, 'requestLog' | 'clock'>): Step {
  return (req, res) => {
    const notes: RequestNotes = { verified: false, expected: null };
    res.locals.requestNotes = notes;
    const keyId = req.get('X-Service-Key-Id');
    if (!keyId) return;
    const started = performance.now();
    const createdAt = clock.now();
    res.once('finish', () => {
      requestLog.note({
        keyId,
        requestId: res.locals.requestId,
        method: req.method,
        path: req.originalUrl.split('?', 1)[0] ?? '',
        status: res.statusCode,
        errorCode: res.locals.errorCode ?? null,
        elapsedMs: Math.round(performance.now() - started),
        canonicalString: notes.expected,
        createdAt,
        verified: notes.verified,
      });
    });
  };
}
