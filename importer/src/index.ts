export { type ColumnContent, ColumnProfiles, type UnusedColumn } from './file/column-profile.ts';
export type { ColumnMapping, ImportColumn } from './file/columns.ts';
export { digestOf } from './file/digest.ts';
export { type FileError, ImportFileError } from './file/errors.ts';
export { exportedWorkbook } from './file/export-workbook.ts';
export { byteOrderMark, csvLine, FailedRows, failedWorkbook } from './file/failed-rows.ts';
export { readElement } from './file/json-element.ts';
export {
  type ImportFile,
  type ImportFileOptions,
  interpretRows,
  openImportFile,
  recogniseColumns,
} from './file/open.ts';
export type { RowPrincipal } from './file/row-user.ts';
export type { ImportRow, UserRow } from './file/rows.ts';
export type { LeftOutRows } from './file/totals-rows.ts';
export {
  attributeOf,
  type Encoding,
  encodings,
  type FileLayout,
  type ImportField,
  importFields,
  isAttributeField,
  isImportField,
  type JsonObject,
  type PrincipalField,
  principalColumns,
  type RowSource,
  type RowUnit,
  rowUnit,
  type SourceRow,
  type UserField,
  userFieldNames,
} from './file/types.ts';
export { type BatchLimits, batchLimits, inBatches } from './import/batches.ts';
export {
  addCounts,
  findUsers,
  type ImportConnection,
  noCounts,
  sendInParts,
  submitWithKey,
} from './import/calls.ts';
export type { WithoutKeyPolicy } from './import/companies.ts';
export { DryRunState, dryRunRows, type Principals } from './import/dry-run.ts';
export { FileComparer } from './import/file-comparer.ts';
export {
  fillPasswords,
  type GeneratedPasswords,
  passwordColumns,
  passwordLines,
} from './import/fill-passwords.ts';
export { codeColumns, codeLines, fillInvites, type InviteChannel } from './import/invitations.ts';
export { fileErrorInItalian, type Language, languages, rowErrorInItalian } from './import/italian.ts';
export { JobSender } from './import/job-sender.ts';
export type { PrincipalAliases } from './import/principal-aliases.ts';
export type { ReasonSummary } from './import/reasons.ts';
export { type CombinedRecord, type ExistingPolicy, foldUsername, type WriteRules } from './import/records.ts';
export {
  type ColumnNamesByField,
  codedError,
  formatRowError,
  fromFileError,
  type LookAlike,
  namesByField,
  type RowError,
  type RowErrors,
} from './import/row-errors.ts';
export { combineRows, errorsByRow } from './import/row-group.ts';
export { sendRows } from './import/send.ts';
export { type ImportTotals, noTotals } from './import/totals.ts';
export { WarningLog, type WarningSummary } from './import/warnings.ts';
export {
  type AppliedSync,
  applySync,
  type Comparison,
  compareSync,
  MissingUnknownError,
} from './plan/compare-sync.ts';
export { findExcessiveLosses, type Losses } from './plan/losses.ts';
export {
  disablePrincipals,
  type MissingPrincipal,
  type MissingPrincipals,
  type MissingPrincipalsPolicy,
} from './plan/missing-principals.ts';
export { type Moves, sourceOf } from './plan/moves.ts';
export {
  applyPlan,
  changesIn,
  changesOf,
  countsOf,
  type PlannedCall,
  type PlannedChange,
  type PlanRules,
  planInserts,
  planUpserts,
  registeredRows,
} from './plan/plan.ts';
export { type SyncTotals, totalsOfPlan } from './plan/plan-totals.ts';
export { type MissingPolicy, planSync, type SyncPlan, UnsettledPlanError } from './plan/sync.ts';
export {
  problemsOfAllRows,
  type RowProblem,
  readSyncFile,
  type SyncFile,
  type SyncRecord,
} from './plan/sync-file.ts';
export {
  invitationSheets,
  type SheetInvitation,
  type SheetOptions,
} from './sheets/invitation-sheets.ts';
export type { SheetLanguage } from './sheets/sheet-texts.ts';
