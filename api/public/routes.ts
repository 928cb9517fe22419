import { listListingsRoute } from './listings/list-listings.ts';
import type { PublicRoute } from './route.ts';

/** The whole public API, a row an endpoint. */
export const publicRoutes: readonly PublicRoute[] = [listListingsRoute];
