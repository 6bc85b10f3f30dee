/**
 * Registers a clean-up function; the last one registered runs first. Throws once the clean-up has begun, so that the
 * caller does not start what would not be cleaned up.
 */
export type AtEnd = (ending: () => Promise<void>) => void;

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type Signal = keyof typeof signals;

/** Runs `work` and then its clean-up functions, even if `work` fails or a signal interrupts it. */
export async function withEndings<T>(
  work: (atEnd: AtEnd, interruption: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const endings: (() => Promise<void>)[] = [];
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= endAll());
  async function endAll(): Promise<void> {
    for (let ending = endings.pop(); ending !== undefined; ending = endings.pop()) {
      await ending().catch((error: Error) => console.error(error.message));
    }
  }
  function interrupt(signal: Signal): void {
    interruption.abort();
    end().then(() => process.exit(128 + signals[signal]));
  }
  const names = Object.keys(signals) as Signal[];
  for (const name of names) process.on(name, interrupt);
  try {
    return await work((ending) => {
      if (ended !== undefined) throw new Error('the benchmark was interrupted');
      endings.push(ending);
    }, interruption.signal);
  } finally {
    await end();
    for (const name of names) process.off(name, interrupt);
  }
}
