import {
  auditEn,
  callsEn,
  clientsEn,
  commonEn,
  eventsEn,
  failureCauseEn,
  importEn,
  jobsEn,
  overviewEn,
  principalsEn,
  resultEn,
  webhooksEn,
} from './en.ts';
import {
  auditIt,
  callsIt,
  clientsIt,
  commonIt,
  eventsIt,
  failureCauseIt,
  importIt,
  jobsIt,
  overviewIt,
  principalsIt,
  resultIt,
  webhooksIt,
} from './it.ts';
import { messagesOf } from './language.tsx';

/** Messages that all pages share. */
export const useCommonMessages = messagesOf({ en: commonEn, it: commonIt });

export const useFailureCauseMessages = messagesOf({ en: failureCauseEn, it: failureCauseIt });

export const useResultMessages = messagesOf({ en: resultEn, it: resultIt });

export const useAuditMessages = messagesOf({ en: auditEn, it: auditIt });

export const useCallsMessages = messagesOf({ en: callsEn, it: callsIt });

export const useClientsMessages = messagesOf({ en: clientsEn, it: clientsIt });

export const useEventsMessages = messagesOf({ en: eventsEn, it: eventsIt });

export const useImportMessages = messagesOf({ en: importEn, it: importIt });

export const useJobsMessages = messagesOf({ en: jobsEn, it: jobsIt });

export const useOverviewMessages = messagesOf({ en: overviewEn, it: overviewIt });

export const usePrincipalsMessages = messagesOf({ en: principalsEn, it: principalsIt });

export const useWebhooksMessages = messagesOf({ en: webhooksEn, it: webhooksIt });
