import { Switch } from '@mantine/core';

interface FailedOnlyProps {
  readonly label: string;
  readonly failed: boolean;
  readonly onFailed: (failed: boolean) => void;
}

/** Leaves out of a list what went well: what `useFailedOnly` gives goes in here. */
export function FailedOnly({ label, failed, onFailed }: FailedOnlyProps) {
  return (
    <Switch label={label} checked={failed} onChange={(event) => onFailed(event.currentTarget.checked)} />
  );
}
