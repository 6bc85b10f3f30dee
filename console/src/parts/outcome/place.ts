import { useFormats } from '../../language/formats.ts';
import { useOutcomeWords } from './words.ts';

const placeText = /^(?:Users\[(\d+)\])?(?:(?:^|\.)(\w+))?$/;

/** `Users[0].Password` is the password of user 1. What is not known is shown as it is. */
export function usePlaceInWords(): (place: string) => string {
  const { user, fields } = useOutcomeWords();
  const { number } = useFormats();
  return (place) => {
    const [, index, field] = placeText.exec(place) ?? [];
    const parts = [index && user(number(Number(index) + 1)), field && (fields[field] ?? field)];
    return parts.filter(Boolean).join(', ') || place;
  };
}
