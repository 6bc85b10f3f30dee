export interface Setting<Value> {
  /** Description of the accepted values, for error messages and the reference page. */
  readonly takes: string;
  readonly about: string;
  read(text: string): Value | undefined;
  readonly fallback: Value;
  readonly secret?: boolean;
  /** Formats the value for people; masks a secret. */
  show(value: Value): string;
}

export function integer(min: number, max: number, fallback: number, about: string): Setting<number> {
  return {
    takes: `a whole number from ${min} to ${max}`,
    about,
    fallback,
    read(text) {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    show: String,
  };
}

export function flag(fallback: boolean, about: string): Setting<boolean> {
  return {
    takes: 'true or false',
    about,
    fallback,
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
    show: String,
  };
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  fallback: Choice,
  about: string,
): Setting<Choice> {
  return {
    takes: `one of ${choices.join(', ')}`,
    about,
    fallback,
    read: (text) => choices.find((choice) => choice === text),
    show: String,
  };
}

export function text<Fallback extends string | null>(options: {
  takes: string;
  about: string;
  fallback: Fallback;
  accepts?(text: string): boolean;
  mask?(text: string): string;
}): Setting<string | Fallback> {
  const { accepts = () => true, mask, ...setting } = options;
  return {
    ...setting,
    secret: mask !== undefined,
    read: (value) => (accepts(value) ? value : undefined),
    show: (value) => (value === null ? '(not set)' : (mask?.(value) ?? value)),
  };
}

export function list(
  takes: string,
  about: string,
  accepts: (item: string) => boolean,
  options: { acceptsAll?(items: readonly string[]): boolean; fallback?: readonly string[] } = {},
): Setting<readonly string[]> {
  const { acceptsAll = () => true, fallback = [] } = options;
  return {
    takes,
    about,
    fallback,
    read(value) {
      const items = value.split(',').map((item) => item.trim());
      return items.every(accepts) && acceptsAll(items) ? items : undefined;
    },
    show: (items) => (items.length > 0 ? items.join(',') : '(none)'),
  };
}
