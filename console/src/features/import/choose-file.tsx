import { Box, Button, FileButton, Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { Command } from '../../ui/copy.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Icon } from '../../ui/icon.tsx';
import { Surface } from '../../ui/page.tsx';
import { FileFailure } from './file-failure.tsx';
import classes from './import.module.css';
import { NoRowsError, readUsersFile, rowsMax, TooManyRowsError, type UsersFile } from './users-file.ts';

const accepted = '.csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl';

interface ChooseProps {
  /** True after another file was discarded: the button then takes the focus. */
  readonly again: boolean;
  /** The command that does the same for a file of any size. */
  readonly command: string;
  readonly onRead: (file: UsersFile) => void;
}

/** Drop zone and file button. The browser parses the file; nothing is uploaded. */
export function Choose({ again, command, onRead }: ChooseProps) {
  const { choose } = useImportMessages();
  const { number } = useFormats();
  const [over, setOver] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (file: File) => readUsersFile(file),
    gcTime: 0,
    onSuccess: onRead,
  });
  const resetInput = useRef<() => void>(null);
  usePreventOtherDrops();

  function read(file: File | null): void {
    if (file) mutate(file);
    // Without the reset, choosing the same file again after correcting it would fire no change event.
    resetInput.current?.();
  }

  function reasonOf(found: Error): string {
    if (found instanceof TooManyRowsError) return choose.tooMany(number(rowsMax));
    return found instanceof NoRowsError ? choose.noRows : choose.unreadable;
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    read(file ?? null);
  }

  return (
    <Surface title={choose.title}>
      <Stack>
        <Stack
          align="center"
          className={classes.zone ?? ''}
          data-over={over}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Icon name="upload" size={32} />
          <Text fw={600}>{choose.drop}</Text>
          <FileButton accept={accepted} resetRef={resetInput} onChange={read}>
            {(props) => (
              <Button {...props} ref={again ? focusOnMount : null} loading={isPending}>
                {choose.button}
              </Button>
            )}
          </FileButton>
          <Box role="status" mih={22}>
            {isPending && <Loader type="dots" size="sm" aria-label={choose.reading} />}
          </Box>
        </Stack>
        {error && <FileFailure error={error} title={choose.failed} reason={reasonOf(error)} />}
        <Text size="sm" c="dimmed">
          {choose.hint(number(rowsMax))}
        </Text>
        <Command text={command} what={choose.commandName} />
      </Stack>
    </Surface>
  );
}

/** Prevents the browser from navigating to a file that is dropped outside the drop zone. */
function usePreventOtherDrops(): void {
  useEffect(() => {
    const prevent = (event: Event) => event.preventDefault();
    window.addEventListener('dragover', prevent);
    window.addEventListener('drop', prevent);
    return () => {
      window.removeEventListener('dragover', prevent);
      window.removeEventListener('drop', prevent);
    };
  }, []);
}
