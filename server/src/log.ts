import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

/** JSON lines on the standard output. What could be secret is never handed to it; the list is a second line. */
export function openLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
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
