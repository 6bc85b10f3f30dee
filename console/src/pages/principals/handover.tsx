import { Handover } from '../../parts/handover.tsx';
import { useWords } from './words.ts';

interface PasswordHandoverProps {
  readonly username: string;
  readonly password: string;
  readonly onDone: () => void;
}

/** A new password, for whoever gives it to its user. */
export function PasswordHandover({ username, password, onDone }: PasswordHandoverProps) {
  const { handover } = useWords();
  const values = [
    { label: handover.username, value: username },
    { label: handover.password, value: password },
  ];
  return <Handover once={handover.once} values={values} done={handover.done} onDone={onDone} />;
}
