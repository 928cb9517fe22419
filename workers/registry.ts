import type { Registry } from './runtime/row.ts';
import { cancelPushRow } from './transfers/cancel-push.ts';
import { confirmDeliveryRow } from './transfers/confirm-delivery.ts';
import { pushTransferRow } from './transfers/push-transfer.ts';
import { startTransferRow } from './transfers/start-transfer.ts';

/** Every kind of work that the fleet does. */
export const REGISTRY: Registry = [startTransferRow, pushTransferRow, confirmDeliveryRow, cancelPushRow];
