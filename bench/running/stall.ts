import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AtEnd } from './endings.ts';
import { temporaryFolder } from './folder.ts';
import { type MeasuredService, type ServiceOptions, startService } from './service.ts';

const probe = fileURLToPath(new URL('../../running/event-loop-probe.cjs', import.meta.url));

export interface ProbedService extends MeasuredService {
  /** The longest stall of its event loop, in milliseconds of processor time, since this was last asked. */
  stallSinceLast(): Promise<number>;
}

/** Starts a service that measures how long its event loop is held. */
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
