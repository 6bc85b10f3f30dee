import { rowUnit } from '@anagrafe/importer';
import { Alert, Button, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, useIsActivePage } from '../../ui/page.tsx';
import { Choose } from './choose-file.tsx';
import { Unsaved } from './import-result.tsx';
import { readUsersFile, type UsersFile } from './users-file.ts';

export interface WorkProps {
  readonly file: UsersFile;
  /** Reads the file again, with or without the rows that seem to be totals. */
  readonly onKeepTotals: (keepsTotals: boolean) => void;
}

interface FilePageProps {
  readonly title: string;
  readonly intro: string;
  /** The command that does the same for a file of any size. */
  readonly command: string;
  readonly work: ComponentType<WorkProps>;
}

/** A page that reads a file of users, and asks before it discards one with unsaved work. */
export function FilePage({ title, intro, command, work: Work }: FilePageProps) {
  const messages = useImportMessages();
  const isActive = useIsActivePage();
  const [read, setRead] = useState<{ readonly file: UsersFile; readonly times: number } | null>(null);
  const [again, setAgain] = useState(false);
  const [unsaved, setUnsaved] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const open = (file: UsersFile) => setRead((before) => ({ file, times: (before?.times ?? 0) + 1 }));
  const reread = useMutation({
    mutationFn: (keepsTotals: boolean) => {
      if (!read) throw new Error('there is no file to read again');
      return readUsersFile(read.file.source, keepsTotals);
    },
    gcTime: 0,
    onSuccess: open,
  });
  function chooseAnother(): void {
    setConfirming(false);
    setRead(null);
    setAgain(true);
    reread.reset();
  }
  const another = (
    <Button variant="default" onClick={() => (unsaved ? setConfirming(true) : chooseAnother())}>
      {messages.another}
    </Button>
  );
  return (
    <Page title={title} intro={intro} actions={read && another}>
      {reread.error && <Failure error={reread.error} title={messages.choose.failed} />}
      <Unsaved value={setUnsaved}>
        {read ? (
          <Work key={read.times} file={read.file} onKeepTotals={reread.mutate} />
        ) : (
          <Choose again={again} command={command} onRead={open} />
        )}
      </Unsaved>
      {confirming && isActive && (
        <ConfirmDialog
          title={messages.drop.title}
          text={messages.drop.text}
          action={messages.drop.action}
          onConfirm={chooseAnother}
          onClose={() => setConfirming(false)}
        />
      )}
    </Page>
  );
}

interface TotalsRowsProps {
  readonly file: UsersFile;
  readonly onChange: (keepsTotals: boolean) => void;
}

/** Asks if the rows that seem to be totals are data. Nothing for a file without such rows. */
export function TotalsRows({ file: { leftOut, keepsTotals, layout }, onChange }: TotalsRowsProps) {
  const { warnings: messages } = useImportMessages();
  const { number } = useFormats();
  if (leftOut.rows === 0 && !keepsTotals) return null;
  const lines = [...leftOut.lines.map(number), ...(leftOut.rows > leftOut.lines.length ? ['…'] : [])];
  return (
    <Alert role="note" color="yellow" variant="light" icon={<Icon name="warning" />}>
      {!keepsTotals && messages.leftOut(number(leftOut.rows), lines, rowUnit(layout))}
      <Switch
        mt={keepsTotals ? 0 : 'xs'}
        label={messages.keepTotals}
        checked={keepsTotals}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />
    </Alert>
  );
}
