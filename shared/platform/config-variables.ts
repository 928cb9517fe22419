import { WORKER_VARIABLES } from './config-fleet.ts';
import { PROCESS_VARIABLES } from './config-process.ts';
import { EMBEDDINGS_VARIABLES } from './config-search.ts';
import { MARKETPLACE_VARIABLES } from './config-trade.ts';

/** The whole configuration of the service; each area has a file of its own. */
export const VARIABLES = {
  ...PROCESS_VARIABLES,
  ...MARKETPLACE_VARIABLES,
  ...EMBEDDINGS_VARIABLES,
  ...WORKER_VARIABLES,
};
