import type { ErrorRequestHandler } from 'express';
import type { ErrorCode } from '../../shared/platform/error-catalogue.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { prepareErrorResponse, toServiceError } from '../http/error-response.ts';

/**
 * The codes of JSON-RPC 2.0 for messages that were refused before the protocol's library saw them; -32000 is one
 * of those that it leaves to servers, and what the library itself says of a type that it can't read or write.
 */
const CODES: Partial<Record<ErrorCode, number>> = {
  validation_error: -32_600,
  unsupported_media_type: -32_000,
};

/** Answers a message that cannot be read as the library does: as a JSON-RPC error, ours in its `data`. */
export function jsonRpcRefusal(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const code = CODES[toServiceError(thrown).code];
    if (code === undefined) return next(thrown);
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const { message, details } = error;
    const data = {
      code: error.code,
      request_id: res.locals.requestId,
      ...(details !== undefined && { details }),
    };
    res.status(error.status).json({ jsonrpc: '2.0', error: { code, message, data }, id: null });
  };
}
