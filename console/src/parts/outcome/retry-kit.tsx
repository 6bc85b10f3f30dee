import type { FailedRecord } from '@anagrafe/client';
import { Button, Tooltip } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { Icon } from '../icon.tsx';
import { useNotice } from '../notice.tsx';
import { useOutcomeWords } from './words.ts';

interface RetryKitProps {
  readonly kit: UseMutationResult<FailedRecord[], Error, void>;
  /** Of the call or the job: a part of the name of the file. */
  readonly id: string;
}

/** The failed records as a file. */
export function RetryKit({ kit, id }: RetryKitProps) {
  const words = useOutcomeWords();
  const say = useNotice();

  function download() {
    kit.mutate(undefined, {
      onSuccess: (records) => {
        save(`retry-kit-${id}.json`, records);
        say(words.kit.saved);
      },
    });
  }

  return (
    <Tooltip label={words.kit.hint} multiline maw={320}>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="download" size={14} />}
        loading={kit.isPending}
        onClick={download}
      >
        {words.kit.action}
      </Button>
    </Tooltip>
  );
}

function save(name: string, records: readonly FailedRecord[]): void {
  const file = new Blob([JSON.stringify(records, null, 2)], { type: 'application/json' });
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser reads it when it gets to it.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
