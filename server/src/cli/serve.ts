import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openLog } from '../log.ts';
import { banner } from './banner.ts';
import { tell } from './output.ts';
import { stopInOrder } from './stopping.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service')
    .addHelpText('after', '\nExample:\n  ANAGRAFE_PORT=9000 anagrafe serve')
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config.LOG_LEVEL);
  // Every other command is there in half the time without the whole service.
  const { startService } = await import('../main.ts');
  const starting = startService(config, log);
  // From the first moment: a signal during the start must not leave a PostgreSQL behind.
  const handsOff = stopInOrder({
    log,
    seconds: config.STOP_SECONDS,
    stop: async () => (await starting.catch(() => undefined))?.stop(),
  });
  const service = await starting.catch((error) => {
    handsOff();
    throw error;
  });
  tell(banner(service, config));
}
