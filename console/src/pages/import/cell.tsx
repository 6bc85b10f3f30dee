import type { SheetField } from '@anagrafe/client/sheet';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import classes from './cell.module.css';

interface CellProps {
  /** Which it is, for those who listen. */
  readonly label: string;
  readonly text: string;
  readonly secret: boolean;
  readonly wrong: boolean;
  /** Of what says why. */
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
}

/** Whether others who look at the screen should not see it. */
export function isSecret(field: SheetField | null): boolean {
  return field === 'Password' || field === 'ConfirmPassword';
}

/** A cell of the file that can be mended. A password is seen while one is in it. */
export function Cell({ label, text, secret, wrong, describedBy, onChange }: CellProps) {
  const [typed, setTyped] = useState(text);
  const [within, setWithin] = useState(false);
  const keep = () => typed !== text && onChange(typed);
  return (
    <TextInput
      aria-label={label}
      {...(wrong && { error: true, 'aria-describedby': describedBy })}
      type={secret && !within ? 'password' : 'text'}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onFocus={() => setWithin(true)}
      onBlur={() => {
        setWithin(false);
        keep();
      }}
      onKeyDown={(event) => event.key === 'Enter' && keep()}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes.input ?? '' }}
    />
  );
}
