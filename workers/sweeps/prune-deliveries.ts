import { pruneDeliveries } from '../../shared/webhooks/prune-deliveries.ts';
import type { WorkContext } from '../runtime/row.ts';

/** Deletes finished webhook deliveries and their attempts after their keep. */
export async function pruneOldDeliveries({ runtime, signal }: WorkContext): Promise<number> {
  return pruneDeliveries(runtime, signal);
}
