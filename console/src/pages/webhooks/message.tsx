import { TextBlock } from './text-block.tsx';
import { useWords } from './words.ts';

/** A message may tell of a hundred thousand users. */
const shown = 20_000;

/** What a receiver is told, laid out to be read; copied as it is sent, since its signature is of that. */
export function Message({ body }: { body: string | null }) {
  const { list, delivery } = useWords();
  if (body === null) return <TextBlock title={list.type} text={null} note={delivery.forgotten} />;
  const laidOut = JSON.stringify(JSON.parse(body), null, 2);
  const short = laidOut.length > shown;
  return (
    <TextBlock
      title={list.type}
      text={short ? `${laidOut.slice(0, shown)} …` : laidOut}
      whole={body}
      note={short ? delivery.shortened : undefined}
    />
  );
}
