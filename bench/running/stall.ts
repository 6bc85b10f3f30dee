import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AtEnd } from './endings.ts';
import { temporaryFolder } from './folder.ts';
import { type MeasuredService, type ServiceOptions, startService } from './service.ts';

const probe = fileURLToPath(new URL('../../running/event-loop-probe.cjs', import.meta.url));

export interface ProbedService extends MeasuredService {
  /** Returns the longest stall of the event loop since the previous call, in milliseconds of processor time. */
  stallSinceLast(): Promise<number>;
}

/** Starts a service with a probe that measures the stalls of its event loop. */
export async function startProbedService(
  atEnd: AtEnd,
  { settings }: ServiceOptions = {},
): Promise<ProbedService> {
  const file = join(temporaryFolder(atEnd), 'stall');
  const probing = { NODE_OPTIONS: `--require "${probe}"`, PROBE: file };
  const service = await startService(atEnd, { settings: { ...settings, ...probing } });
  return {
    ...service,
    async stallSinceLast() {
      rmSync(file, { force: true });
      service.signal('SIGUSR2');
      while (!existsSync(file)) await sleep(10);
      return Number(readFileSync(file, 'utf8'));
    },
  };
}
