export { Foreseen, type Principals } from './foreseen.ts';
export type { Line } from './line.ts';
export { inParts, type Part } from './parts.ts';
export { insertPrincipals } from './principals.ts';
export { type BatchRecords, recordsOf, type Sent } from './records.ts';
export { resetIn } from './reset.ts';
export {
  aboutRow,
  faultsOf,
  type RowFault,
  type RowFaultCode,
  type RowFaults,
  sentenceOf,
} from './row-fault.ts';
export { failedOf, type SentJob } from './sent-job.ts';
export { type Trial, tryRows } from './trial.ts';
export { UnsettledError } from './unsettled.ts';
export { foldedUsername } from './username.ts';
