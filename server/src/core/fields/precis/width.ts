import { WIDTH_PAIRS } from './tables.gen.ts';

const WIDTH_VARIANT = /[\u3000\uff01-\uffee]/g;

let targets: Map<string, string> | undefined;

/** RFC 8264 section 5.2.1: fullwidth and halfwidth characters become the ones they are a variant of. */
export function mapWidth(text: string): string {
  return text.replace(WIDTH_VARIANT, (character) => {
    targets ??= new Map(WIDTH_PAIRS.match(/../g)?.map((pair) => [pair.charAt(0), pair.charAt(1)]));
    return targets.get(character) ?? character;
  });
}
