export type { ColumnMapping, ImportColumn } from './file/columns.ts';
export { type FileError, type FileErrorCode, type FileErrorParams, ImportFileError } from './file/errors.ts';
export { byteOrderMark, csvLine, FailedRows } from './file/failed-rows.ts';
export { readElement } from './file/json-element.ts';
export {
  type ImportFile,
  type ImportFileOptions,
  interpretRows,
  openImportFile,
  recogniseColumns,
} from './file/open.ts';
export type { InterpretOptions, RowPrincipal, RowRegistration, RowReset, RowUser } from './file/row-user.ts';
export type { ImportRow, InvalidRow, RecordRow, UserRow } from './file/rows.ts';
export type { FileBytes } from './file/text-reader.ts';
export {
  type Encoding,
  encodings,
  type FileFormat,
  type FileLayout,
  type ImportField,
  importFields,
  isImportField,
  type JsonObject,
  type PrincipalColumn,
  type PrincipalField,
  principalColumns,
  type RowSource,
  type SourceRow,
  type UserField,
  userFieldNames,
} from './file/types.ts';
export { type DryRunResult, DryRunState, dryRunRows } from './import/dry-run.ts';
export {
  type Batch,
  type BatchLimits,
  batchLimits,
  findResets,
  foldUsername,
  inBatches,
} from './import/records.ts';
export {
  codedError,
  formatRowError,
  fromFileError,
  type RowError,
  type RowErrorCode,
  type RowErrors,
} from './import/row-errors.ts';
export {
  type ImportConnection,
  PrincipalNotAppliedError,
  type Principals,
  readJobs,
  readRowErrors,
  type SubmitJob,
  type SubmittedJob,
  type SubmittedRows,
  submitRows,
  submitWithKey,
} from './import/send.ts';
