import { callTexts, type english, noteTexts, recordTexts } from '../i18n/en.ts';
import { fieldTexts } from '../i18n/en-fields.ts';

type Texts = typeof english;
export type Code = keyof Texts;

const textsByKind = { call: callTexts, record: recordTexts, field: fieldTexts, note: noteTexts };

/** Every code that an answer can contain, with its kind. */
export const codes = Object.fromEntries(
  Object.entries(textsByKind).flatMap(([kind, texts]) => Object.keys(texts).map((code) => [code, kind])),
) as Readonly<Record<Code, keyof typeof textsByKind>>;

export type CodeWithOneText = { [C in Code]: Texts[C] extends string ? C : never }[Code];

/** The variants of a code that has several texts. */
export type Variant<C extends Code> = Texts[C] extends string ? never : keyof Texts[C];

/** The values that replace the `{name}` placeholders of a text. */
export type Figures = Readonly<Record<string, string | number>>;

/** The variant of a code with several texts, and the figures that the text contains. Never holds anything secret. */
type Details<C extends Code> = { readonly figures?: Figures } & (Texts[C] extends string
  ? { readonly variant?: never }
  : { readonly variant: Variant<C> });

/** The details of a code as the last argument of a function; optional if the code has one text. */
export type DetailsArgument<C extends Code, More = unknown> = Texts[C] extends string
  ? [details?: Details<C> & More]
  : [details: Details<C> & More];

/** Codes whose errors describe another principal in their figures: `id`, `key`, `name`, `field` and `operation`. */
const codesWithDetails: readonly Code[] = ['LOOKS_LIKE_ANOTHER', 'USERNAME_TAKEN'];

export function hasDetails({ code, figures }: ErrorDetail): boolean {
  return figures !== undefined && codesWithDetails.includes(code);
}

type DetailOf<C extends Code> = { readonly code: C } & Details<C>;
export type ErrorDetail =
  | DetailOf<CodeWithOneText>
  | { [C in Exclude<Code, CodeWithOneText>]: DetailOf<C> }[Exclude<Code, CodeWithOneText>];
