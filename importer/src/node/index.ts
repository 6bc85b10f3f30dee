export { dryRunImport, type ImportDryRun } from './dry-run.ts';
export { JobCancelledError } from './job-wait.ts';
export { acquireLock } from './lock.ts';
export { generatePassword } from './prepare.ts';
export { PrivateFile } from './private-file.ts';
export { requireEmpty } from './result-files.ts';
export { type ImportResult, runImport } from './run.ts';
export { readSavedMapping, saveMapping } from './saved-mapping.ts';
export { writePasswords, writeProblems } from './sync-files.ts';
export {
  type CompletedRows,
  type FileTask,
  type ImportContext,
  type ImportCounts,
  ImportError,
  type ImportTask,
  noRows,
  openTaskFile,
} from './task.ts';
