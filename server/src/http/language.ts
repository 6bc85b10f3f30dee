import { type Language, languages } from '../core/language/say.ts';

/** The language of the sentences, by RFC 9110's `Accept-Language`: the best of those that exist, else English. */
export function chooseLanguage(header: string | undefined): Language {
  let best: Language = 'en';
  let bestQuality = 0;
  for (const range of (header ?? '').split(',', 50)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = tag.split('-')[0] ?? '';
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (isLanguage(language) && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}
