import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** As `engines` of the package has it. */
const oldestNode = [20, 18] as const;
const advisedNode = 24;

export function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldest, least] = oldestNode;
  const found = process.versions.node;
  if (major > oldest || (major === oldest && minor >= least)) return ok('Node.js', found);
  return fail(
    'Node.js',
    `${found}; ${oldest}.${least} or newer is needed`,
    `Install Node.js ${advisedNode}.`,
  );
}

/** What is open beside the connections of callers: files, threads, the log. */
const filesOfTheProcess = 64;
const callersAtOnce = 1000;

/** Every caller and every connection to the database takes a file. */
export function openFiles({ DATABASE_CONNECTIONS }: Config): Finding {
  const { userLimits } = process.report.getReport() as unknown as {
    userLimits: { open_files: { soft: number | 'unlimited' } };
  };
  const { soft } = userLimits.open_files;
  return filesFinding(soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft, DATABASE_CONNECTIONS);
}

export function filesFinding(limit: number, connections: number): Finding {
  const callers = limit - connections - filesOfTheProcess;
  if (callers === Number.POSITIVE_INFINITY) return ok('open files', 'without a limit');
  if (callers >= callersAtOnce) return ok('open files', `up to ${limit}`);
  return warn(
    'open files',
    `up to ${limit}, enough for about ${Math.max(0, callers)} callers at once`,
    'Raise it for the user of the service: "ulimit -n 65536", or LimitNOFILE= of its unit.',
  );
}
