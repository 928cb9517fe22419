import type { Request, RequestHandler } from 'express';
import type { ApiServices } from '../../compose-api.ts';
import { requireFresh } from '../account/account-session.ts';
import { assertMayRun, COMMANDS, type CommandName } from './site-command.ts';

/**
 * Lets members of the partner in `res.locals.partner` pass who may run the command. Members who must confirm their
 * second factor do that first, and then return to the form's page.
 * @throws forbidden, partner_not_active
 */
export function admitTo(
  runtime: ApiServices,
  name: CommandName,
  pageOf: (req: Request) => string,
): RequestHandler {
  const { dangerous } = COMMANDS[name];
  const fresh = requireFresh(runtime, pageOf);
  return (req, res, next) => {
    assertMayRun(name, { partner: res.locals.partner });
    const asks = dangerous === 'in LIVE' ? req.params.environment === 'live' : dangerous;
    return asks ? fresh(req, res, next) : next();
  };
}
