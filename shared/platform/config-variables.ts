import { FLEET_VARIABLES } from './config-fleet.ts';
import { PROCESS_VARIABLES } from './config-process.ts';
import { SEARCH_VARIABLES } from './config-search.ts';
import { TRADE_VARIABLES } from './config-trade.ts';

/** The whole configuration of the service; each area has a file of its own. */
export const VARIABLES = {
  ...PROCESS_VARIABLES,
  ...TRADE_VARIABLES,
  ...SEARCH_VARIABLES,
  ...FLEET_VARIABLES,
};
