import type { Delivery, DeliveryFailureCode, DeliveryFailureDetails, DisabledReason } from '@anagrafe/client';
import type { Cause } from '../../i18n/en.ts';
import { useFailureCauseMessages } from '../../i18n/language.tsx';

const causesByStatus: Readonly<Record<number, Cause>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'notFound',
  405: 'notFound',
  410: 'gone',
  429: 'tooMany',
};

const causesByStatusClass: Readonly<Record<number, Cause>> = { 3: 'moved', 4: 'rejected', 5: 'broken' };

const causesByCode: Readonly<Record<Exclude<DeliveryFailureCode, 'http_status'>, Cause>> = {
  timeout: 'slow',
  connection_refused: 'closed',
  connection_reset: 'cut',
  connection_timeout: 'slow',
  name_not_resolved: 'unknownName',
  unreachable: 'unreachable',
  tls_error: 'insecure',
  invalid_response: 'strange',
  network_error: 'other',
  internal_address: 'internal',
  plain_http: 'plainHttp',
  event_expired: 'forgotten',
};

/** Returns the cause of a failed attempt; null if the attempt succeeded or there was none. */
export function causeOf({ Status, FailureCode }: Pick<Delivery, 'Status' | 'FailureCode'>): Cause | null {
  if (FailureCode === null) return null;
  if (FailureCode !== 'http_status') return causesByCode[FailureCode] ?? 'other';
  const status = Status ?? 0;
  return causesByStatus[status] ?? causesByStatusClass[Math.floor(status / 100)] ?? 'other';
}

/** Returns a function that describes the reason why a webhook was disabled, in the interface language. */
export function useDisabledReason(): (reason: DisabledReason, details: DeliveryFailureDetails) => string {
  const { causes, byHand, clientRevoked, clientLostAdmin, answered, unknown } = useFailureCauseMessages();
  return (reason, { Status, NetworkError }) => {
    switch (reason) {
      case 'manual':
        return byHand;
      case 'client_revoked':
        return clientRevoked;
      case 'client_lost_admin':
        return clientLostAdmin;
      case 'http_status':
        return answered(String(Status));
      case 'network_error':
        return unknown(NetworkError ?? '');
      default:
        return causes[causesByCode[reason] ?? 'other'].what;
    }
  };
}
