import { describe, expect, it } from 'vitest';
import {
  type DisabledReason,
  describeFailure,
  describeReason,
  detailsOf,
} from '../../src/lib/webhook-failures.ts';

const reasons: readonly [DisabledReason, string, string][] = [
  [{ code: 'manual' }, 'manually', 'manualmente'],
  [{ code: 'client_revoked' }, 'the client was revoked', 'il client è stato revocato'],
  [
    { code: 'client_lost_admin' },
    'the client no longer has the scope admin',
    'il client non ha più il permesso admin',
  ],
  [
    { code: 'http_status', status: 503 },
    'the receiver returned an error (503)',
    'il destinatario ha restituito un errore (503)',
  ],
  [
    { code: 'timeout', timeoutMs: 15_000 },
    'no answer within 15 seconds',
    'nessuna risposta entro 15 secondi',
  ],
  [{ code: 'connection_refused', networkError: 'ECONNREFUSED' }, 'ECONNREFUSED', 'ECONNREFUSED'],
];

describe('the description of a disabled webhook', () => {
  it.each(reasons)('is made of the reason %j in both languages', (reason, english, italian) => {
    expect([describeReason(reason, 'en'), describeReason(reason, 'it')]).toEqual([english, italian]);
  });
});

describe('the description of a failed delivery', () => {
  it('is null if the status of the response says enough', () => {
    expect(describeFailure({ code: 'http_status', status: 500 }, 'en')).toBeNull();
  });

  it('says that a redirect is a failure', () => {
    expect(describeFailure({ code: 'http_status', status: 302 }, 'en')).toBe(
      'the receiver returned a redirect, which is not followed',
    );
  });

  it('is made of the failure if there was no response', () => {
    expect(describeFailure({ code: 'event_expired' }, 'en')).toBe(
      'the event has been deleted after its retention period',
    );
    expect(describeFailure({ code: 'plain_http' }, 'en')).toBe(
      'https is required outside ANAGRAFE_WEBHOOK_NETWORKS',
    );
  });
});

it('the details of a failure have null for each value that its code does not have', () => {
  const none = { status: null, networkError: null, timeoutMs: null };
  expect(detailsOf({ code: 'manual' })).toEqual(none);
  expect(detailsOf({ code: 'http_status', status: 500 })).toEqual({ ...none, status: 500 });
  expect(detailsOf({ code: 'timeout', timeoutMs: 1000 })).toEqual({ ...none, timeoutMs: 1000 });
  expect(detailsOf({ code: 'unreachable', networkError: 'ENETUNREACH' })).toEqual({
    ...none,
    networkError: 'ENETUNREACH',
  });
});
