import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

/** JSON lines. What could be secret is never handed to it; the list is a second line of defence. */
export function openLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['*.password', '*.passwordHash', '*.secret', 'err.detail', 'err.where', 'err.cause.detail'],
      remove: true,
    },
  };
  return pino(options, destination);
}

/** A log that nobody reads any more, such as a closed pipe, must not keep the service from its work or from its stop. */
function standardOutput(): DestinationStream {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { write: (line) => void process.stdout.write(line) };
}
