import type { Request, RequestHandler } from 'express';
import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import type { ApiServices } from '../../compose-api.ts';
import { signedInOf } from '../account/account-session.ts';

/**
 * Counts a request of a member of the partner in `res.locals.partner`, in the limit group the API would use: a read, a
 * file, or a change. `sparesPartner`: unless it is a file, it counts only for the member.
 * @throws rate_limited
 */
export function countMemberRequest(
  { requestLimits }: ApiServices,
  { sparesPartner = false }: { sparesPartner?: boolean } = {},
): RequestHandler {
  return async (req, res, next) => {
    const isFile = req.query.format === 'csv' || /\.csv$|\/documents\//.test(req.path);
    const group = req.method !== 'GET' ? 'write' : isFile ? 'reporting' : 'reads';
    const { partnerId }: PartnerOfMember = res.locals.partner;
    const environment = isLive(req) ? 'LIVE' : 'SANDBOX';
    const { id: by } = signedInOf(res).user;
    const spares = sparesPartner && group !== 'reporting';
    await requestLimits.take({ partnerId, environment, by, sparesPartner: spares }, group);
    next();
  };
}

/** Returns whether a request is about LIVE: by its page, its key, or the key it creates. */
function isLive({ path, params, body }: Request): boolean {
  return (
    params.environment === 'live' || path.startsWith('/pk_live_') || body?.environment === 'LIVE'
  );
}
