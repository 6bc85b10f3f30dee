import { Button, Group } from '@mantine/core';
import { useWords } from '../language/words.ts';

interface FormButtonsProps {
  readonly submit: string;
  /** The call is under way. */
  readonly busy: boolean;
  readonly onCancel: () => void;
  /** Something is still missing. */
  readonly disabled?: boolean;
  /** For what hurts. */
  readonly color?: 'red';
}

/**
 * The end of a form. While the call is under way it cannot be left: the answer may hold what is shown once. Cancel keeps the focus
 * meanwhile, since whoever has no mouse goes on from there.
 */
export function FormButtons({ submit, busy, onCancel, disabled = false, color }: FormButtonsProps) {
  const { cancel } = useWords();
  return (
    <Group justify="flex-end">
      <Button
        variant="default"
        onClick={busy ? undefined : onCancel}
        {...(busy && { 'aria-disabled': true, 'data-disabled': true })}
      >
        {cancel}
      </Button>
      <Button type="submit" loading={busy} disabled={disabled} {...(color && { color })}>
        {submit}
      </Button>
    </Group>
  );
}
