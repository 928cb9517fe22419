import type { PartnerRoute } from '../route.ts';
import { getEndpointRoute } from './get-endpoint.ts';
import { listDeliveriesRoute } from './list-deliveries.ts';
import { registerEndpointRoute } from './register-endpoint.ts';
import { removeEndpointRoute } from './remove-endpoint.ts';
import { resendDeliveryRoute } from './resend-delivery.ts';
import { resendEventRoute } from './resend-event.ts';
import { sendTestRoute } from './send-test.ts';

const endpointRoutes: readonly PartnerRoute[] = [
  registerEndpointRoute,
  getEndpointRoute,
  removeEndpointRoute,
  sendTestRoute,
  listDeliveriesRoute,
  resendDeliveryRoute,
];

/** Registration has no version in its path; partners who put it in reach the same. */
export const webhookRoutes: readonly PartnerRoute[] = [
  ...endpointRoutes,
  ...endpointRoutes.map((route) => ({
    ...route,
    path: `/v1${route.path}`,
    operationId: `${route.operationId}V1`,
  })),
  resendEventRoute,
];
