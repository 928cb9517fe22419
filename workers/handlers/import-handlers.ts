import { importListingsJob } from '../../shared/market/inventory/import-run.jobs.ts';
import { runImport } from '../../shared/market/inventory/import-run.ts';
import { done, handle } from '../runtime/job-handler.ts';

/** Lists the domains of a file. Rows written before an interruption are found unchanged. */
export const importListingsHandler = handle(
  importListingsJob,
  async ({ runtime, job }, { importId }) => {
    await runImport(runtime, job, importId);
    return done();
  },
);
