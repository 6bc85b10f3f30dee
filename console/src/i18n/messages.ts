import type { Messages } from './en.ts';
import { useMessages } from './language.tsx';

/** Creates a hook that returns one section of the messages in the chosen language. */
function section<Name extends keyof Messages>(name: Name): () => Messages[Name] {
  return () => useMessages()[name];
}

/** Messages that all pages share. */
export const useCommonMessages = section('common');
export const useActorMessages = section('actor');
/** Reasons why a delivery failed. */
export const useFailureCauseMessages = section('failureCause');
export const useEventTypeMessages = section('eventType');
export const useAuditRowMessages = section('auditRow');
/** Progress and results of calls and jobs. */
export const useResultMessages = section('result');
export const useAuditMessages = section('audit');
export const useCallsMessages = section('calls');
export const useClientsMessages = section('clients');
export const useEventsMessages = section('events');
export const useImportMessages = section('import');
export const useJobsMessages = section('jobs');
export const useOverviewMessages = section('overview');
export const usePrincipalsMessages = section('principals');
export const useWebhooksMessages = section('webhooks');
