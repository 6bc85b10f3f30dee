import { Skeleton } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Failure } from './failure.tsx';

interface OnItsWayProps {
  readonly list: { readonly error: Error | null; readonly refetch: () => void };
}

/** In the place of something that is not there yet, or is not to be had. */
export function OnItsWay({ list: { error, refetch } }: OnItsWayProps) {
  const { table } = useWords();
  return error ? <Failure error={error} title={table.failed} onRetry={refetch} /> : <Skeleton height={180} />;
}
