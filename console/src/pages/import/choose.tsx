import { SheetError } from '@anagrafe/client/sheet';
import { Alert, Box, Button, FileButton, Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Command } from '../../parts/command.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Surface } from '../../parts/surface.tsx';
import { arrive } from './arrive.ts';
import classes from './choose.module.css';
import { NoRowsError, readUsersFile, rowsMax, TooManyRowsError, type UsersFile } from './users-file.ts';
import { useWords } from './words.ts';

const accepted = '.csv,.tsv,.txt,.json,.ndjson,.jsonl';

interface ChooseProps {
  /** Whether one comes back from another file. */
  readonly again: boolean;
  readonly onRead: (file: UsersFile) => void;
}

/** A file is dropped, or chosen with a button, and read in the browser. */
export function Choose({ again, onRead }: ChooseProps) {
  const { choose } = useWords();
  const { number } = useFormats();
  const [over, setOver] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: readUsersFile,
    gcTime: 0,
    onSuccess: onRead,
  });
  const forget = useRef<() => void>(null);
  useNoOtherDrops();

  function take(file: File | null): void {
    if (file) mutate(file);
    // The same file, once it was corrected, is a choice again.
    forget.current?.();
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    take(file ?? null);
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
          <FileButton accept={accepted} resetRef={forget} onChange={take}>
            {(props) => (
              <Button {...props} ref={again ? arrive : null} loading={isPending}>
                {choose.button}
              </Button>
            )}
          </FileButton>
          <Box role="status" mih={22}>
            {isPending && <Loader type="dots" size="sm" aria-label={choose.reading} />}
          </Box>
        </Stack>
        {error && <Unreadable error={error} />}
        <Text size="sm" c="dimmed">
          {choose.hint(number(rowsMax))}
        </Text>
        <Command text={choose.command} what={choose.commandName} />
      </Stack>
    </Surface>
  );
}

function Unreadable({ error }: { error: Error }) {
  const { choose, fault } = useWords();
  const { number } = useFormats();
  const why = () => {
    if (error instanceof SheetError) return fault(error.fault);
    if (error instanceof TooManyRowsError) return choose.tooMany(number(rowsMax));
    return error instanceof NoRowsError ? choose.noRows : choose.unreadable;
  };
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={choose.failed}>
      {why()}
    </Alert>
  );
}

/** A file that is dropped beside its place would be opened in the place of the console. */
function useNoOtherDrops(): void {
  useEffect(() => {
    const refuse = (event: Event) => event.preventDefault();
    window.addEventListener('dragover', refuse);
    window.addEventListener('drop', refuse);
    return () => {
      window.removeEventListener('dragover', refuse);
      window.removeEventListener('drop', refuse);
    };
  }, []);
}
