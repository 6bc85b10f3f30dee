import type { ReactNode } from 'react';
import { Handover } from '../../parts/handover.tsx';
import { useWords } from './words.ts';

interface SecretHandoverProps {
  readonly secret: string;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** The secret that messages are signed with. */
export function SecretHandover({ secret, ...rest }: SecretHandoverProps) {
  const words = useWords();
  const values = [{ label: words.secret, value: secret }];
  return <Handover once={words.secretOnce} values={values} done={words.stored} {...rest} />;
}
