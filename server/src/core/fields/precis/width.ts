import { WIDTH_PAIRS } from './tables.gen.ts';

const WIDTH_VARIANT = /[\u3000\uff01-\uffee]/g;

const DECOMPOSED_HANGUL = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/g;

let targets: Map<string, string> | undefined;

/** RFC 8264 section 5.2.1: fullwidth and halfwidth characters become the ones they are a variant of. */
export function mapWidth(text: string): string {
  return text.replace(WIDTH_VARIANT, (character) => {
    targets ??= new Map(WIDTH_PAIRS.match(/../g)?.map((pair) => [pair.charAt(0), pair.charAt(1)]));
    return targets.get(character) ?? character;
  });
}

/** Composes Korean syllables, which macOS may send in two or three letters: the classes have only the composed ones. */
export function composeHangul(text: string): string {
  return text.replace(DECOMPOSED_HANGUL, (syllable) => syllable.normalize('NFC'));
}
