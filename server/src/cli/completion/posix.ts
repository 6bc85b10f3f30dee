import type { Place, Value } from './place.ts';

/** What bash and zsh have in common. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The lines of a `case "$path $word"` that lead from each command to those below it. */
export function wayLines(places: readonly Place[]): string {
  return places
    .map(({ path }) => {
      const words = path.split(' ');
      const before = `${words.slice(0, -1).join(' ')} ${words.at(-1)}`;
      return `      ${quoted(before)}) path=${quoted(path)} ;;`;
    })
    .join('\n');
}

/** The lines of a `case "$path $before"` that tell what an option takes. */
export function valueLines(places: readonly Place[], answer: (value: Value) => string): string {
  return places
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, value }) => {
        const told = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
        return value === null ? [] : [`    ${told}) ${answer(value)} ;;`];
      }),
    )
    .join('\n');
}

/** The lines of a `case "$path"`. */
export function placeLines(places: readonly Place[], answer: (place: Place) => string): string {
  return places.map((place) => `    ${quoted(place.path)}) ${answer(place)} ;;`).join('\n');
}
