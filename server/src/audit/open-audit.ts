import type { Database } from '../db/database.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Config } from '../settings/config.ts';
import { openAuditLog, openAuditStore } from './audit.store.ts';
import type { AuditLog, AuditStore } from './audit-log.ts';
import { openEvents } from './events.store.ts';
import type { EventStore } from './events.ts';
import type { ChainKeys } from './hash-chain.ts';

export interface Audit {
  readonly log: AuditLog;
  readonly store: AuditStore;
  readonly chainKeys: ChainKeys;
  readonly events: EventStore;
}

export function openAudit(parts: { database: Database; keyRing: KeyRing; config: Config }): Audit {
  const { database, keyRing, config } = parts;
  return {
    log: openAuditLog(database),
    store: openAuditStore(database),
    chainKeys: keyRing,
    events: openEvents(database, { days: config.EVENT_DAYS }),
  };
}
