import type { PartnerRoute } from '../route.ts';
import { createSessionRoute } from './create-session.ts';
import { getSessionRoute } from './get-session.ts';

export const checkoutRoutes: readonly PartnerRoute[] = [createSessionRoute, getSessionRoute];
