import { TextBlock } from './text-block.tsx';
import { useWords } from './words.ts';

/** So much of an answer is kept. */
const kept = 1000;

/** What a receiver wrote into its answer. */
export function Answer({ text }: { text: string | null }) {
  const { list, delivery } = useWords();
  const note = text === null ? delivery.noAnswer : [...text].length >= kept ? delivery.beginning : undefined;
  return <TextBlock title={list.answer} text={text} note={note} />;
}
