import type { PublicRoute } from '../route.ts';
import { cancelBulkJobRoute } from './cancel-bulk-job.ts';
import { getBulkJobRoute } from './get-bulk-job.ts';
import { startBulkJobRoute } from './start-bulk-job.ts';
import { streamBulkJobRoute } from './stream-bulk-job.ts';

/** Operations on many domains at once. */
export const bulkRoutes: readonly PublicRoute[] = [
  startBulkJobRoute,
  getBulkJobRoute,
  cancelBulkJobRoute,
  streamBulkJobRoute,
];
