import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Handover } from './handover.tsx';

interface KeysHandoverProps {
  readonly publicKey: string;
  readonly secretKey: string;
  readonly busy?: boolean;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** The keys of a client, at the one moment when its secret can be seen. */
export function KeysHandover({ publicKey, secretKey, ...rest }: KeysHandoverProps) {
  const { secret } = useWords();
  const values = [
    { label: secret.publicKey, value: publicKey },
    { label: secret.secretKey, value: secretKey },
    { label: secret.both, value: `${publicKey}.${secretKey}` },
  ];
  return <Handover once={secret.once} values={values} done={secret.stored} {...rest} />;
}
