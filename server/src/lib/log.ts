import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { isPartOfOutage } from './field-errors.ts';

/** Opens a log of JSON lines. Callers never log secrets; the redaction list is a second safeguard. */
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

/** Ignores write errors, such as EPIPE: a closed pipe must neither crash the service nor block its shutdown. */
function standardOutput(): DestinationStream {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { write: (line) => void process.stdout.write(line) };
}

/** Returns a function that logs an error as a warning, unless it belongs to an outage, which is logged as a whole. */
export function warningOf(log: Logger, message: string): (error: unknown) => void {
  return (error) => {
    if (!isPartOfOutage(error)) log.warn({ err: error }, message);
  };
}
