import type { FailedRecord } from '@anagrafe/client';
import { Button, Tooltip } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { Icon } from '../icon.tsx';
import { useNotice } from '../notice.tsx';
import { saveFile } from '../save-file.ts';
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
        saveFile(`retry-kit-${id}.json`, [JSON.stringify(records, null, 2)], 'application/json');
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
