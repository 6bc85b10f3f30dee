import closeWithGrace from 'close-with-grace';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openLog } from '../log.ts';
import { startService } from '../main.ts';
import { banner } from './banner.ts';
import { tell } from './output.ts';

export function serveCommand(): Command {
  return new Command('serve').description('run the service').action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config.LOG_LEVEL);
  const starting = startService(config, log);
  const closing = closeWithGrace(
    { delay: config.STOP_SECONDS * 1000, logger: false },
    async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'stopping after a fault');
      else log.info({ signal }, 'stopping: finishing the calls at work');
      await (await starting.catch(() => undefined))?.stop();
      log.info('stopped');
    },
  );
  const service = await starting.catch((error) => {
    closing.uninstall();
    throw error;
  });
  tell(banner(service, config));
}
