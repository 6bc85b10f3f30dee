export { ImportLock } from './lock.ts';
export { dryRunImport, type ImportDryRun, type ImportResult, runImport } from './run.ts';
export { type ImportContext, type ImportCounts, ImportError, type ImportTask } from './task.ts';
